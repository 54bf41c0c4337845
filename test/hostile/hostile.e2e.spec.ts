import { setTimeout as pause } from 'node:timers/promises';
import * as fc from 'fast-check';
import { collectGarbage } from '../installations/collect.garbage';
import { hostileBodies } from './hostile.bodies';
import { installed } from '../installations/installed';
import { freePort, API_KEY, waitFor, type Ack } from '../installations/lettermill';
import { draftsOf } from '../attachments/multipart.forms';
import { RawClient, type RawAnswer } from '../api/raw.client';

const BODY_COUNT = Number(process.env.HOSTILE_BODIES ?? 20_000);
/** By default, the bodies are the same each time. */
const SEED = Number(process.env.HOSTILE_SEED ?? 5);
const MAX_CONCURRENT_REQUESTS = 16;
const VALID_BODY = JSON.stringify({ campaign: 'order', to: 'good@hostile.example' });

describe('hostile input', () => {
  let client: RawClient;
  let inspector: number;
  let accepted = 0;

  beforeAll(async () => {
    inspector = await freePort();
  });
  const lettermill = installed(() => ({
    RATE_LIMIT: '0',
    LOG_LEVEL: 'fatal',
    NODE_OPTIONS: `--inspect=127.0.0.1:${inspector}`,
  }));
  beforeAll(async () => {
    await lettermill.launch('order');
    client = new RawClient(lettermill.port, MAX_CONCURRENT_REQUESTS);
  });
  afterAll(() => client.close());

  const expectProperAnswer = (answer: RawAnswer, what: string) => {
    const { status, type, text } = answer;
    if (status === 202) accepted += (JSON.parse(text) as Ack).messages.length;
    else {
      const problem = JSON.parse(text) as { status: number; detail: string; request_id: string };
      const actual = { type, status: problem.status, told: problem.detail.length > 0 };
      const expected = { type: 'application/problem+json; charset=utf-8', status, told: true };
      if (JSON.stringify(actual) !== JSON.stringify(expected))
        expect({ what, ...actual }).toEqual({ what, ...expected });
    }
    if (status >= 500) expect({ what, status }).toEqual({ what, status: 'below 500' });
    return answer;
  };
  const post = async (body: Buffer | string, headers: Record<string, string>, what: string): Promise<RawAnswer> =>
    expectProperAnswer(await client.post(body, headers), what);
  const expectValidAccepted = async () =>
    expect(await post(VALID_BODY, {}, 'a good request')).toMatchObject({ status: 202 });
  const drafts = () => draftsOf(lettermill);
  const residentMemory = async () => {
    await collectGarbage(inspector);
    const text = await (await fetch(`${lettermill.url}/metrics`)).text();
    return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)![1]);
  };
  const sendMutatedBodies = async (count: number, seed: number) => {
    const bodies = fc.sample(hostileBodies, { numRuns: count, seed }).values();
    const statuses = new Map<number, number>();
    let sent = 0;
    const sendRemaining = async () => {
      for (const { body, headers } of bodies) {
        const what = `seed ${seed}: ${JSON.stringify(headers)} ${body.toString('latin1').slice(0, 2000)}`;
        const { status } = await post(body, headers, what).catch(async (error: Error) => {
          // Wait for the last output of the process, which comes after its connections break.
          await pause(500);
          throw new Error(`${error.message} at ${what}\n${lettermill.output}`);
        });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if ((sent += 1) % 500 === 0) await expectValidAccepted();
      }
    };
    await Promise.all(Array.from({ length: MAX_CONCURRENT_REQUESTS }, sendRemaining));
    return statuses;
  };

  it(`answers ${BODY_COUNT} mutated bodies (seed ${SEED}) with 202 or a 4xx, and leaks no memory`, async () => {
    // Caches, pools and the mailbox fill first; after that the memory must not grow any more.
    let warmMemory = 0;
    for (let i = 0; i < 4; i += 1) {
      const statuses = await sendMutatedBodies(BODY_COUNT / 4, SEED + i);
      expect([...statuses.keys()].every((status) => [202, 400, 422].includes(status))).toBe(true);
      expect(statuses.get(400)).toBeGreaterThan(BODY_COUNT / 50);
      expect(statuses.get(422)).toBeGreaterThan(BODY_COUNT / 50);
      if (i === 1) warmMemory = await residentMemory();
    }
    await waitFor(async () => (await residentMemory()) <= warmMemory * 1.1 || undefined, 'the memory to be given back');
    expect(drafts()).toEqual([]);
  }, 300_000);

  describe('made by hand', () => {
    const expectRefused = async (
      status: number,
      what: string,
      body: Buffer | string,
      headers: Record<string, string> = {},
    ) => {
      expect([what, (await post(body, headers, what)).status]).toEqual([what, status]);
      await expectValidAccepted();
    };

    it('with too deep, wide or huge JSON is refused', async () => {
      const to = '"campaign":"order","to":"a@hostile.example"';
      const keys = (count: number) => Array.from({ length: count }, (_, i) => `"k${i}":1`).join();
      const headers = (count: number) => Array.from({ length: count }, (_, i) => `"x${i}":"1"`).join();
      const data = (bytes: string) => `{"attachment_type":"file","file_name":"a","data":"${bytes}"}`;
      const arrays = `${'['.repeat(55)}${']'.repeat(55)},`;
      await expectRefused(400, 'a million brackets', '['.repeat(1_000_000));
      await expectRefused(400, 'eleven million arrays', `{${to},"profile_data":{"a":[${arrays.repeat(200_000)}1]}}`);
      await expectRefused(400, 'ten million objects', `[${'{},'.repeat(10_000_000)}{}]`);
      await expectRefused(400, 'a huge number', `{${to},"profile_data":{"a":1${'0'.repeat(100_000)}}}`);
      await expectRefused(400, 'a huge exponent', `{${to},"profile_data":{"a":1e${'9'.repeat(1000)}}}`);
      await expectRefused(422, '100,000 keys', `{${to},${keys(100_000)}}`);
      await expectRefused(400, 'a million keys', `{${to},${keys(1_000_000)}}`);
      await expectRefused(422, '20,000 headers', `{${to},"message":{"headers":{${headers(20_000)}}}}`);
      await expectRefused(422, 'a header of 20 MB', `{${to},"message":{"headers":{"X":"${'a '.repeat(10_000_000)}"}}}`);
      await expectRefused(422, '200,001 recipients', `{"campaign":"order","to":[${'"x",'.repeat(200_000)}"x"]}`);
      await expectRefused(422, 'a subject of 5 MB', `{${to},"message":{"subject":"${'a'.repeat(5_000_000)}"}}`);
      await expectRefused(400, 'a key twice', `{${to},"to":"${'@'.repeat(1_000_000)}"}`);
      await expectRefused(422, 'an address of 1 MB', `{"campaign":"order","to":"${'a.'.repeat(500_000)}@b.co"}`);
      await expectRefused(422, 'bad base64 of 8 MB', `{${to},"attachments":[${data('A'.repeat(8_000_001))}]}`);
      await expectRefused(422, 'a template of open tags', `{${to},"message":{"text":"${'{%raw%}'.repeat(100_000)}"}}`);
      await expectRefused(422, 'a template of brackets', `{${to},"message":{"text":"{{ ${'a['.repeat(300_000)} }}"}}`);
      await expectRefused(400, '20 MB of quotes', '"'.repeat(20_000_000));
      await expectRefused(400, '20 MB of escapes', `{"a":"${'\\'.repeat(20_000_000)}`);
      await expectRefused(413, 'more than the cap', 'x'.repeat(33_554_433));
    });

    it('with a huge form is refused', async () => {
      const head = (name: string) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`;
      const parts = Array.from({ length: 10_000 }, (_, i) => `${head(`p${i}`)}x\r\n`).join('');
      const forms: [string, number, string][] = [
        ['10,000 parts behind the json', 422, `${head('json')}${VALID_BODY}\r\n${parts}--b--\r\n`],
        ['json of deep brackets', 400, `${head('json')}${'['.repeat(1_000_000)}\r\n--b--\r\n`],
        ['100,000 part headers', 400, `--b\r\n${'X: y\r\n'.repeat(100_000)}\r\n`],
        ['a part header of 2 MB', 400, `--b\r\nX: ${'y'.repeat(2_000_000)}\r\n\r\n--b--\r\n`],
        ['dashes', 400, '-'.repeat(2_000_000)],
        ['boundaries', 422, '--b\r\n'.repeat(300_000)],
        ['line breaks', 400, '\r\n'.repeat(1_000_000)],
      ];
      for (const [what, status, body] of forms) {
        await expectRefused(status, what, body, { 'content-type': 'multipart/form-data; boundary=b' });
      }
      expect(drafts()).toEqual([]);
    });

    it('with a head that is not HTTP or contradicts itself is refused', async () => {
      const auth = `host: x\r\nauthorization: Bearer ${API_KEY}\r\ncontent-type: application/json\r\n`;
      const post = `POST /v2/send/email HTTP/1.1\r\n${auth}`;
      const length = `content-length: ${VALID_BODY.length}\r\n`;
      const cases: [string, string][] = [
        ['no HTTP', 'hello\r\n\r\n'],
        ['a length below zero', `${post}content-length: -1\r\n\r\n${VALID_BODY}`],
        ['a length that is none', `${post}content-length: 0x10\r\n\r\n${VALID_BODY}`],
        ['a blank before the colon', `${post}${length}x : y\r\n\r\n${VALID_BODY}`],
        ['a folded header', `${post}${length}x: y\r\n z\r\n\r\n${VALID_BODY}`],
        ['a bad chunk', `${post}transfer-encoding: chunked\r\n\r\nzz\r\n`],
        ['two hosts', `${post}host: y\r\n${length}\r\n${VALID_BODY}`],
        ['two types', `${post}content-type: multipart/form-data\r\n${length}\r\n${VALID_BODY}`],
        ['two API keys', `${post}authorization: Bearer x\r\n${length}\r\n${VALID_BODY}`],
        ['two idempotency keys', `${post}idempotency-key: a\r\nidempotency-key: b\r\n${length}\r\n${VALID_BODY}`],
        ['a NUL', `${post}x: a\u0000b\r\n${length}\r\n${VALID_BODY}`],
        ['a longer body than said', `${post}content-length: 5\r\n\r\n${VALID_BODY}`],
      ];
      for (const [what, bytes] of cases) {
        const answer = await client.exchange(bytes);
        expect([what, answer.slice(0, 12)]).toEqual([what, expect.stringMatching(/^HTTP\/1\.1 4\d\d$/)]);
        expect([what, answer]).toEqual([what, expect.stringContaining('application/problem+json')]);
        await expectValidAccepted();
      }
    });

    it('with Expect: 100-continue is asked for its body', async () => {
      const head = `POST /v2/send/email HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${API_KEY}\r\ncontent-type: application/json\r\n`;
      const socket = await client.open();
      let text = '';
      socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      socket.write(`${head}expect: 100-continue\r\ncontent-length: ${VALID_BODY.length}\r\n\r\n`);
      await waitFor(() => text.includes('100 Continue') || undefined, '100 Continue');
      socket.write(VALID_BODY);
      await waitFor(() => text.includes('202 Accepted') || undefined, 'the 202');
      accepted += 1;
      socket.destroy();
    });

    it('from clients that stall or disconnect delays nobody and leaves nothing', async () => {
      const head = (type: string, length: number) =>
        `POST /v2/send/email HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${API_KEY}\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n`;
      const begun = [
        head('application/json', 1000) + VALID_BODY,
        head('multipart/form-data; boundary=b', 100_000) +
          `--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n${'x'.repeat(50_000)}`,
        head('multipart/form-data; boundary=b', 1000) + '--b\r\nContent-Disp',
        'POST /v2/send/email HTTP/1.1\r\nhost: x\r\n',
      ];
      const sockets = await Promise.all(
        Array.from({ length: 100 }, async (_, i) => {
          const socket = await client.open();
          socket.write(begun[i % begun.length]!);
          return socket;
        }),
      );
      for (let i = 0; i < 20; i += 1) await expectValidAccepted();
      for (const socket of sockets) socket.destroy();
      await waitFor(() => drafts().length === 0 || undefined, 'the drafts to go');
      await expectValidAccepted();
    });
  });

  it('makes no message if it is refused', async () => {
    const count = async () => (await lettermill.messages()).length;
    await waitFor(async () => ((await count()) >= accepted ? true : undefined), 'every accepted message');
    expect(await count()).toBe(accepted);
  });
});
