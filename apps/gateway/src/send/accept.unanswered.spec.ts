import { decodeEvent, type RawRecord } from '@lettermill/events';
import { LogUnavailable, type EventPublisher } from '@lettermill/log';
import type { Fault, Problem } from '@lettermill/problems';
import { openDatabase } from '../../../../libs/storage/src/libsql/testing/database';
import type { Attachments } from '../attachments/attachments';
import { RequestFiles } from '../attachments/request.files';
import { NO_FILES, type CampaignsView } from '../campaigns/campaigns.view';
import { Accept } from './accept';
import { Claims } from './claims';
import { LibsqlClaimStore } from './claims.store.libsql';
import { Preparation } from './preparation';
import type { RequestContent } from './request.content';
import type { Accepted } from './send.request';

const DAY_MS = 86_400_000;
const CAMPAIGN = { id: 'C'.repeat(18), slug: 'order', version: 1, priority: 'normal' as const, files: NO_FILES };
const EXPIRED: Fault = { pointer: '/attachments/0/data', code: 'attachment_fetch_failed', detail: 'It answered 403.' };
const WITH_FILE = {
  campaign: 'order',
  to: 'ada@example.com',
  attachments: [{ attachment_type: 'url', file_name: 'a.pdf', data: 'https://files.example.com/a.pdf' }],
};
const WITHOUT_FILE = { campaign: 'order', to: 'ada@example.com' };

/** What is answered after a call whose messages are on the log, but whose caller got no answer (docs/send.md 12, 13). */
describe('a call after one that was never answered', () => {
  let close: () => Promise<void>;
  let claims: Claims;
  let accept: Accept;
  let now: number;
  let calls: number;
  let faults: Fault[];
  let losing: boolean;
  let appended: RawRecord[];

  beforeEach(async () => {
    const { database, close: closeDatabase } = await openDatabase();
    const store = new LibsqlClaimStore(database);
    await store.migrate();
    [now, calls, faults, losing, appended] = [1_800_000_000_000, 0, [], false, []];
    close = closeDatabase;
    claims = new Claims(store, () => now, { warn: () => undefined } as never);
    const attachments = {
      faults: () => [],
      find: () => Promise.resolve(Object.assign(new RequestFiles(), { faults })),
    };
    const content = { details: () => Promise.resolve(undefined), shared: () => Promise.resolve(undefined) };
    const preparation = new Preparation(
      { known: () => CAMPAIGN, find: () => Promise.resolve(CAMPAIGN) } as unknown as CampaignsView,
      attachments as unknown as Attachments,
      content as unknown as RequestContent,
    );
    /** What is written stays written, but the call does not learn of it. */
    const append = (records: RawRecord[]) => {
      appended.push(...records);
      return losing ? Promise.reject(new LogUnavailable('away')) : Promise.resolve();
    };
    accept = new Accept(preparation, claims, { append } as unknown as EventPublisher, () => now);
  });
  afterEach(async () => {
    claims.onApplicationShutdown();
    await close();
  });

  const send = (body: object, idempotencyKey?: string): Promise<Accepted> => {
    now += 1_000;
    calls += 1;
    return accept.accept({ accountId: 'a', requestId: `r${calls}`, body, idempotencyKey });
  };
  const refusal = (...given: Parameters<typeof send>): Promise<Problem> =>
    send(...given).then(
      ({ ack }) => Promise.reject(new Error(`accepted: ${ack}`)),
      (error: unknown) => error as Problem,
    );
  /** Its messages are on the log. Resolves to their ids. */
  const unanswered = async (...given: Parameters<typeof send>): Promise<string[]> => {
    losing = true;
    await expect(send(...given)).rejects.toThrow('away');
    losing = false;
    return appended.map((record) => decodeEvent({ ...record, partition: 0, position: 0 }).id);
  };
  const said = ({ code, faults: told }: Problem) => [
    code,
    ...told.map(({ pointer, code: of, message_id }) => [pointer, of, ...(message_id ? [message_id] : [])].join(' ')),
  ];
  const UNANSWERED = 'earlier_call_unanswered';

  it('is told of its messages if it is a repeat that is refused now, until one is accepted', async () => {
    const [id] = await unanswered(WITH_FILE, 'order-77');
    faults = [EXPIRED];
    for (let repeats = 0; repeats < 2; repeats += 1) {
      const told = await refusal(WITH_FILE, 'order-77');
      expect(said(told)).toEqual([UNANSWERED, `/to perhaps_accepted ${id}`, `${EXPIRED.pointer} ${EXPIRED.code}`]);
      expect(JSON.stringify(told.body('/', 'r'))).not.toMatch(/othing was accepted|did nothing|new key/);
    }
    faults = [];
    expect((await send(WITH_FILE, 'order-77')).ack).toContain(`"message_id":"${id}"`);
  });

  it('is told of its messages if it has its key and another body, instead of being sent to a new key', async () => {
    const [id] = await unanswered(WITH_FILE, 'order-77');
    faults = [EXPIRED];
    await refusal(WITH_FILE, 'order-77');
    for (let repeats = 0; repeats < 2; repeats += 1) {
      const told = await refusal(WITHOUT_FILE, 'order-77');
      expect(said(told)).toEqual([UNANSWERED, ` perhaps_accepted ${id}`, ' body_differs']);
      expect(JSON.stringify(told.body('/', 'r'))).not.toMatch(/othing was accepted|did nothing|new key/);
    }
    expect(appended).toHaveLength(1);
  });

  it('is told of all its messages, also of those that the other body does not name', async () => {
    const to = ['x', 'y'].map((id) => ({ contact_key: `${id}@example.com`, external_message_id: id }));
    const ids = await unanswered({ ...WITH_FILE, to: [...to, 'z@example.com'] }, 'K');
    const told = await refusal({ ...WITHOUT_FILE, to: to[0] }, 'K');
    expect(told.faults.flatMap(({ message_id }) => message_id ?? []).sort()).toEqual(ids.toSorted());
    const repeated = { ...WITH_FILE, to: [...to, 'z@example.com'] };
    faults = [EXPIRED];
    expect(said(await refusal(repeated, 'K')).slice(1, 4)).toEqual(
      ids.map((id, at) => `/to/${at} perhaps_accepted ${id}`),
    );
  });

  it('is not told of messages that only it would have', async () => {
    const x = { contact_key: 'x@example.com', external_message_id: 'x' };
    const [id] = await unanswered({ ...WITHOUT_FILE, to: x });
    faults = [EXPIRED];
    expect(said(await refusal({ ...WITH_FILE, to: [x, 'new@example.com'] }, 'K'))).toEqual([
      UNANSWERED,
      `/to/0 perhaps_accepted ${id}`,
      `${EXPIRED.pointer} ${EXPIRED.code}`,
    ]);
    expect(said(await refusal({ ...WITH_FILE, to: 'new@example.com' }, 'K'))[0]).toBe('validation_failed');
  });

  it('takes its place with an id of its own, corrected, and each message exists once', async () => {
    const x = { contact_key: 'x@example.com', external_message_id: 'x' };
    const [id] = await unanswered({ ...WITH_FILE, to: x });
    faults = [EXPIRED];
    await refusal({ ...WITH_FILE, to: x });
    expect((await send({ ...WITHOUT_FILE, to: x })).ack).toContain(`"message_id":"${id}"`);
  });

  it('is told of all its messages if it has one of its ids, and cannot take its place', async () => {
    const x = { contact_key: 'x@example.com', external_message_id: 'x' };
    const [named, nameless] = await unanswered({ ...WITHOUT_FILE, to: [x, 'z@example.com'] });
    for (const [to, pointer] of [
      [{ ...x, contact_key: 'other@example.com' }, '/to'],
      [[x, 'corrected@example.com'], '/to/0'],
    ] as const)
      expect(said(await refusal({ ...WITHOUT_FILE, to }))).toEqual([
        UNANSWERED,
        `${pointer}/external_message_id external_message_id_taken ${named}`,
        ` perhaps_accepted ${nameless}`,
      ]);
  });

  it('is told of its messages also if another of its own ids is taken, instead of that nothing was accepted', async () => {
    const of = (id: string) => ({ contact_key: `${id}@example.com`, external_message_id: id });
    const [x, y] = await unanswered({ ...WITHOUT_FILE, to: [of('x'), of('y')] }, 'K');
    const { ack } = await send({ ...WITHOUT_FILE, to: of('z') });
    const z = (JSON.parse(ack) as { messages: { message_id: string }[] }).messages[0]!.message_id;
    const taken = `external_message_id_taken ${z}`;
    const told = await refusal({ ...WITHOUT_FILE, to: [of('x'), of('z')] });
    const perhaps = [x!, y!].sort().map((id) => ` perhaps_accepted ${id}`);
    expect(said(told)).toEqual([UNANSWERED, `/to/1/external_message_id ${taken}`, ...perhaps]);
    // The id of a call that took its place does not make the other one unknown either.
    await send({ ...WITHOUT_FILE, to: of('x') });
    const repeated = await refusal({ ...WITHOUT_FILE, to: [of('x'), of('y')] }, 'K');
    expect(said(repeated)).toEqual([
      UNANSWERED,
      `/to/0/external_message_id external_message_id_taken ${x}`,
      ` perhaps_accepted ${y}`,
    ]);
  });

  it('is told of its messages after seven days, also if its key was used again and again', async () => {
    const [id] = await unanswered(WITH_FILE, 'K');
    faults = [EXPIRED];
    for (let day = 0; day < 7; day += 1) {
      expect(said(await refusal(WITH_FILE, 'K'))[2]).toBe(`${EXPIRED.pointer} ${EXPIRED.code}`);
      now += DAY_MS;
    }
    faults = [];
    expect(said(await refusal(WITH_FILE, 'K'))).toEqual([UNANSWERED, ` perhaps_accepted ${id}`]);
    expect(appended).toHaveLength(1);
  });
});
