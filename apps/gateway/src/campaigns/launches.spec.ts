import type { OwnerAnswer } from '../owners/owner.client';
import { failed, refused, type FetchRefused } from '../attachments/fetch.refused';
import type { FetchedDraft } from '../attachments/url.fetches';
import { Launches } from './launches';

const TERMS = 'https://shop.example/terms.pdf';
const PRICES = 'https://shop.example/prices.pdf';
const FORBIDDEN = 'https://127.0.0.2/prices.pdf';
const MIB = 1024 * 1024;

const urlFile = (data: string) => ({ attachment_type: 'url', file_name: 'a.pdf', data });
const launchOf = (...addresses: string[]) => ({
  from: 'shop@x.test',
  subject: 'Hi',
  text: 'Hello',
  attachments: addresses.map(urlFile),
});
const answered = (status: number, body: object) =>
  ({ owner: 'renderer', status, headers: {}, body: Buffer.from(JSON.stringify(body)) }) as OwnerAnswer;
const LAUNCHED = answered(201, { version: 1 });

/** Launches at a renderer that has no fault to tell; `contents` says what is at an address, or its size. */
function launchesOf(contents: Record<string, string | number | FetchRefused>) {
  const asked: { attachments: { attachment_type: string; data: string }[] }[] = [];
  const fetched: string[] = [];
  const drafts = new Set<string>();
  let most = 0;
  let now = 0;
  const ask = async (
    _owner: string,
    request: { body: unknown },
    call?: { method: string; path: string; body: Buffer },
  ) => {
    if (!call) {
      const { attachments } = request.body as (typeof asked)[number];
      const errors = attachments.flatMap(({ attachment_type: type }, index) =>
        type === 'url' ? [{ pointer: `/attachments/${index}`, code: 'attachment_kind_unavailable' }] : [],
      );
      return errors.length > 0 ? answered(422, { errors }) : LAUNCHED;
    }
    most = Math.max(most, (now += 1));
    await new Promise(setImmediate);
    now -= 1;
    expect([call.method, call.path]).toEqual(['PUT', '/v2/campaigns/order']);
    asked.push(JSON.parse(call.body.toString()) as (typeof asked)[number]);
    return LAUNCHED;
  };
  const draftOf = (address: string, content: string | number) => {
    drafts.add(address);
    const bytes = typeof content === 'string' ? Buffer.from(content) : undefined;
    return {
      size: bytes?.length ?? content,
      read: () => Promise.resolve(bytes),
      discard: () => Promise.resolve(void drafts.delete(address)),
    };
  };
  const urls = {
    refusal: (address: string) => (address === FORBIDDEN ? refused('not public') : undefined),
    fetchAll: (_account: string, addresses: string[]) => {
      fetched.push(...addresses);
      const outcomeOf = (content: string | number | FetchRefused, address: string) =>
        typeof content === 'object' ? content : ({ draft: draftOf(address, content) } as FetchedDraft);
      return Promise.resolve(new Map([...new Set(addresses)].map((at) => [at, outcomeOf(contents[at]!, at)])));
    },
  };
  const launches = new Launches({ ask } as never, urls as never);
  const launch = (body: object) =>
    launches.launch({ accountId: 'a', method: 'PUT', url: '/v2/campaigns/order', body } as never);
  return { launch, asked, fetched, drafts, mostAtOnce: () => most };
}

describe('a launch with files at addresses', () => {
  it('is refused with every file that cannot be fetched, and leaves nothing', async () => {
    const { launch, asked, drafts } = launchesOf({ [TERMS]: failed('404'), [PRICES]: 'prices' });
    await expect(launch(launchOf(TERMS, PRICES, TERMS))).rejects.toMatchObject({
      code: 'validation_failed',
      message: '2 rules are broken. Nothing was changed.',
      faults: ['/attachments/0/data', '/attachments/2/data'].map((pointer) => ({
        pointer,
        code: 'attachment_fetch_failed',
        detail: '404',
      })),
    });
    expect([asked, [...drafts]]).toEqual([[], []]);
  });

  it('fetches nothing if one of the addresses is never fetched from', async () => {
    const { launch, fetched } = launchesOf({ [TERMS]: 'terms' });
    await expect(launch(launchOf(TERMS, FORBIDDEN))).rejects.toMatchObject({
      faults: [{ pointer: '/attachments/1/data', code: 'attachment_address_refused', detail: 'not public' }],
    });
    expect(fetched).toEqual([]);
  });

  it('is refused if all files together are too large, before any is read', async () => {
    const { launch, asked, drafts } = launchesOf({ [TERMS]: 6 * MIB, [PRICES]: 5 * MIB });
    await expect(launch(launchOf(TERMS, PRICES))).rejects.toMatchObject({
      faults: [{ pointer: '/attachments/1', code: 'attachments_too_large' }],
    });
    expect([asked, [...drafts]]).toEqual([[], []]);
  });

  it('is launched with the files, and leaves no drafts', async () => {
    const { launch, asked, drafts } = launchesOf({ [TERMS]: 'terms', [PRICES]: '' });
    expect(await launch(launchOf(TERMS, PRICES))).toBe(LAUNCHED);
    const file = (content: string) => ({
      attachment_type: 'file',
      file_name: 'a.pdf',
      data: Buffer.from(content).toString('base64'),
    });
    expect(asked).toEqual([{ ...launchOf(), attachments: [file('terms'), file('')] }]);
    expect([...drafts]).toEqual([]);
  });

  it('has its files in memory beside one other at most', async () => {
    const { launch, asked, mostAtOnce } = launchesOf({ [TERMS]: 'terms' });
    await Promise.all(Array.from({ length: 5 }, () => launch(launchOf(TERMS))));
    expect([asked.length, mostAtOnce()]).toEqual([5, 2]);
  });
});

it('a launch without such files is passed on as it came', async () => {
  const { launch, asked, fetched } = launchesOf({});
  expect(await launch(launchOf())).toBe(LAUNCHED);
  expect([asked, fetched]).toEqual([[], []]);
});
