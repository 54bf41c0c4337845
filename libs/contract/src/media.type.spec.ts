import { mediaTypeOf } from './media.type';

describe('the media type of a file name', () => {
  it.each([
    ['invoice.PDF', 'application/pdf'],
    ['archive.tar.gz', 'application/gzip'],
    ['größe.png', 'image/png'],
  ])('of %s is %s', (name, type) => {
    expect(mediaTypeOf(name)).toBe(type);
  });

  it('is unknown without an ending, or with one that nobody knows', () => {
    for (const name of ['f', 'html', 'pdf', 'README', 'x.', 'a.nosuch']) {
      expect(mediaTypeOf(name)).toBe('application/octet-stream');
    }
  });
});
