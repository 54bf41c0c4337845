import * as web from '@lettermill/web';
import { MAX_URL_LENGTH, TEXT_RULES } from './rules';

jest.mock('@lettermill/web', () => {
  const actual = jest.requireActual<typeof web>('@lettermill/web');
  return { ...actual, urlIn: jest.fn(actual.urlIn) };
});

describe('the address of a file', () => {
  it('is parsed only if it is short enough: millions of characters would take seconds', () => {
    const ofLength = (length: number) => 'https://'.padEnd(length, 'xn--');
    expect(TEXT_RULES.httpsUri(ofLength(MAX_URL_LENGTH + 1))).toBeUndefined();
    expect(web.urlIn).not.toHaveBeenCalled();
    TEXT_RULES.httpsUri(ofLength(MAX_URL_LENGTH));
    expect(web.urlIn).toHaveBeenCalledTimes(1);
  });
});
