import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { collectGarbage } from './collect.garbage';
import { GUID, hostile } from './hostile.bodies';
import { freePort, KEY, Lettermill, waitFor, type Ack, type Message } from './lettermill';
import { RawClient, type RawAnswer } from './raw.client';

const COUNT = Number(process.env.HOSTILE_BODIES ?? 20_000);
const SEED = Number(process.env.HOSTILE_SEED ?? Date.now() % 1_000_000_000);
const AT_ONCE = 16;
const LONGEST_MS = 2000;
const GOOD = JSON.stringify({ campaign: 'order', to: 'good@hostile.example' });

describe('hostile input', () => {
  let lettermill: Lettermill;
  let client: RawClient;
  let inspector: number;
  let accepted = 0;

  beforeAll(async () => {
    inspector = await freePort();
    const NODE_OPTIONS = `--inspect=127.0.0.1:${inspector}`;
    lettermill = await Lettermill.start({ RATE_LIMIT: '0', LOG_LEVEL: 'fatal', NODE_OPTIONS });
    await lettermill.launch('order');
    client = new RawClient(lettermill.port, AT_ONCE);
  });
  afterAll(async () => {
    client.close();
    await lettermill.destroy();
  });

  const judge = (answer: RawAnswer, what: string) => {
    const { status, type, text, ms } = answer;
    if (status === 202) accepted += (JSON.parse(text) as Ack).messages.length;
    else {
      const problem = JSON.parse(text) as { status: number; detail: string; request_id: string };
      const told = { type, status: problem.status, told: problem.detail.length > 0 };
      const right = { type: 'application/problem+json; charset=utf-8', status, told: true };
      if (JSON.stringify(told) !== JSON.stringify(right)) expect({ what, ...told }).toEqual({ what, ...right });
    }
    if (status >= 500 || ms > LONGEST_MS) expect({ what, status, ms }).toEqual({ what, status: 'below 500', ms: 2000 });
    return answer;
  };
  const good = async () => expect(judge(await client.post(GOOD), 'a good request')).toMatchObject({ status: 202 });
  const drafts = () => {
    try {
      return readdirSync(join(lettermill.dataDir, 'blobs', 'drafts'));
    } catch {
      return [];
    }
  };
  const memory = async () => {
    await collectGarbage(inspector);
    const text = await (await fetch(`${lettermill.url}/metrics`)).text();
    return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)![1]);
  };
  const rain = async (count: number, seed: number) => {
    const bodies = fc.sample(hostile, { numRuns: count, seed }).values();
    const statuses = new Map<number, number>();
    let sent = 0;
    const pour = async () => {
      for (const { body, headers } of bodies) {
        const what = `seed ${seed}: ${JSON.stringify(headers)} ${body.toString('latin1').slice(0, 2000)}`;
        const answer = await client.post(body, headers).catch(async (error: Error) => {
          // What a process says last comes after its connections broke.
          await new Promise((resolve) => setTimeout(resolve, 500));
          throw new Error(`${error.message} at ${what}\n${lettermill.output}`);
        });
        const { status } = judge(answer, what);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if ((sent += 1) % 500 === 0) await good();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, pour));
    return statuses;
  };

  it(`answers ${COUNT} mutated bodies (seed ${SEED}) with 202 or a 4xx, soon, and forgets them`, async () => {
    // Caches, pools and the mailbox fill first; after that it must not grow any more.
    let warm = 0;
    for (let i = 0; i < 4; i += 1) {
      const statuses = await rain(COUNT / 4, SEED + i);
      expect([...statuses.keys()].every((status) => [202, 400, 422].includes(status))).toBe(true);
      expect(statuses.get(400)).toBeGreaterThan(COUNT / 50);
      expect(statuses.get(422)).toBeGreaterThan(COUNT / 50);
      if (i === 1) warm = await memory();
    }
    await waitFor(async () => (await memory()) <= warm * 1.1 || undefined, 'the memory to be given back');
    expect(drafts()).toEqual([]);
  }, 300_000);

  describe('made by hand', () => {
    const json = (text: string) => client.post(text);
    const refused = async (answer: Promise<RawAnswer>, status: number, what: string) => {
      expect([what, judge(await answer, what).status]).toEqual([what, status]);
      await good();
    };

    it('deep, wide, huge: numbers, texts, keys, levels', async () => {
      const to = '"campaign":"order","to":"a@hostile.example"';
      await refused(json('['.repeat(1_000_000)), 400, 'a million brackets');
      await refused(json(`{${to},"profile_data":${'{"a":'.repeat(60)}1${'}'.repeat(60)}}`), 422, '60 levels');
      await refused(json(`{${to},"profile_data":{"a":1${'0'.repeat(100_000)}}}`), 400, 'a huge number');
      await refused(json(`{${to},"profile_data":{"a":1e${'9'.repeat(1000)}}}`), 400, 'a huge exponent');
      await refused(json(`{${to},"profile_data":{"a":"\\ud800"}}`), 422, 'a lone surrogate');
      await refused(json(`{${to},"__proto__":{"admin":true}}`), 422, '__proto__');
      await refused(
        json(`{${to},${Array.from({ length: 100_000 }, (_, i) => `"k${i}":1`).join()}}`),
        422,
        '100,000 keys',
      );
      await refused(json(`{"campaign":"order","to":[${'"x",'.repeat(200_000)}"x"]}`), 422, '200,001 recipients');
      await refused(json(`{${to},"message":{"subject":"${'a'.repeat(5_000_000)}"}}`), 422, 'a subject of 5 MB');
      await refused(json(`{${to},"to":"${'@'.repeat(1_000_000)}"}`), 400, 'a key twice');
      await refused(json(`{"campaign":"order","to":"${'a.'.repeat(500_000)}@b.co"}`), 422, 'an address of 1 MB');
      await refused(
        json(`{${to},"attachments":[{"attachment_type":"file","file_name":"a","data":"${'A'.repeat(8_000_001)}"}]}`),
        422,
        'bad base64 of 8 MB',
      );
      await refused(json(`{${to},"message":{"text":"${'{%raw%}'.repeat(100_000)}"}}`), 422, 'a template of open tags');
    }, 60_000);

    it('forms: 10,000 parts, parts without end, files that call themselves json', async () => {
      const type = { 'content-type': 'multipart/form-data; boundary=b' };
      const head = (name: string) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`;
      const parts = Array.from({ length: 10_000 }, (_, i) => `${head(`p${i}`)}x\r\n`).join('');
      await refused(client.post(`${parts}--b--\r\n`, type), 400, '10,000 parts');
      await refused(
        client.post(`${head('json')}${GOOD}\r\n${head('json')}${GOOD}\r\n--b--\r\n`, type),
        400,
        'json twice',
      );
      await refused(client.post(`${head('json')}${GOOD}`, type), 400, 'no end');
      await refused(client.post(`--b\r\n${'X: y\r\n'.repeat(100_000)}\r\n`, type), 400, '100,000 part headers');
      await refused(
        client.post(`--b\r\nX: ${'y'.repeat(2_000_000)}\r\n\r\n--b--\r\n`, type),
        400,
        'a part header of 2 MB',
      );
      await refused(client.post('-'.repeat(2_000_000), type), 400, 'dashes');
      await refused(client.post('--b\r\n'.repeat(300_000), type), 400, 'boundaries');
      await refused(client.post(`${head(GUID)}x\r\n--b--\r\n`, type), 400, 'no json');
      expect(drafts()).toEqual([]);
    }, 60_000);

    it('heads that are not HTTP, or say two things', async () => {
      const auth = `host: x\r\nauthorization: Bearer ${KEY}\r\ncontent-type: application/json\r\n`;
      const post = `POST /v2/send/email HTTP/1.1\r\n${auth}`;
      const length = `content-length: ${GOOD.length}\r\n`;
      const cases: [string, string][] = [
        ['no HTTP', 'hello\r\n\r\n'],
        ['two lengths', `${post}${length}content-length: 1\r\n\r\n${GOOD}`],
        ['length and chunks', `${post}${length}transfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
        ['a length below zero', `${post}content-length: -1\r\n\r\n${GOOD}`],
        ['a length that is none', `${post}content-length: 0x10\r\n\r\n${GOOD}`],
        ['a blank before the colon', `${post}${length}x : y\r\n\r\n${GOOD}`],
        ['a folded header', `${post}${length}x: y\r\n z\r\n\r\n${GOOD}`],
        ['a bad chunk', `${post}transfer-encoding: chunked\r\n\r\nzz\r\n`],
        ['a head of 100 KB', `${post}x: ${'y'.repeat(100_000)}\r\n\r\n`],
        ['two hosts', `${post}host: y\r\n${length}\r\n${GOOD}`],
        ['two types', `${post}content-type: multipart/form-data\r\n${length}\r\n${GOOD}`],
        ['two API keys', `${post}authorization: Bearer x\r\n${length}\r\n${GOOD}`],
        ['two idempotency keys', `${post}idempotency-key: a\r\nidempotency-key: b\r\n${length}\r\n${GOOD}`],
        ['a NUL', `${post}x: a\u0000b\r\n${length}\r\n${GOOD}`],
        ['a longer body than said', `${post}content-length: 5\r\n\r\n${GOOD}`],
      ];
      for (const [what, bytes] of cases) {
        const answer = await client.exchange(bytes);
        expect([what, answer.slice(0, 12)]).toEqual([what, expect.stringMatching(/^HTTP\/1\.1 4\d\d$/)]);
        expect([what, answer]).toEqual([what, expect.stringContaining('application/problem+json')]);
        await good();
      }
    }, 60_000);

    it('Expect: 100-continue is honoured', async () => {
      const head = `POST /v2/send/email HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${KEY}\r\ncontent-type: application/json\r\n`;
      const socket = await client.open();
      let text = '';
      socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      socket.write(`${head}expect: 100-continue\r\ncontent-length: ${GOOD.length}\r\n\r\n`);
      await waitFor(() => text.includes('100 Continue') || undefined, '100 Continue');
      socket.write(GOOD);
      await waitFor(() => text.includes('202 Accepted') || undefined, 'the 202');
      accepted += 1;
      socket.destroy();
    });

    it('clients that stall or go away hold nobody up and leave nothing', async () => {
      const head = (type: string, length: number) =>
        `POST /v2/send/email HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${KEY}\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n`;
      const begun = [
        head('application/json', 1000) + GOOD,
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
      for (let i = 0; i < 20; i += 1) await good();
      for (const socket of sockets) socket.destroy();
      await waitFor(() => drafts().length === 0 || undefined, 'the drafts to go');
      await good();
    });
  });

  it('made no message of a refused request', async () => {
    const count = async () => {
      let [cursor, seen]: [string | null, number] = [null, 0];
      do {
        const path: string = `/v2/messages?limit=100${cursor ? `&cursor=${cursor}` : ''}`;
        const { body } = await lettermill.call<{ data: Message[]; next_cursor: string | null }>('GET', path);
        seen += body.data.length;
        cursor = body.next_cursor;
      } while (cursor);
      return seen;
    };
    await waitFor(async () => ((await count()) >= accepted ? true : undefined), 'every accepted message');
    expect(await count()).toBe(accepted);
  }, 60_000);
});
