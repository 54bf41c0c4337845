import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { installed } from '../installations/installed';
import { API_KEY, Lettermill } from '../installations/lettermill';

const MIB = 1024 * 1024;
const LARGE_BYTES = 30 * MIB;
const MEDIUM_BYTES = MIB;
const BLANKS = Buffer.alloc(MIB, ' ');
const REQUEST_JSON = '{"campaign":"order","to":"ada@example.com"}';
const BOUNDARY = 'a-boundary';
const JSON_PART_HEAD = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="json"\r\ncontent-type: application/json\r\n\r\n`;
const FORM_TYPE = `content-type: multipart/form-data; boundary=${BOUNDARY}`;
const JSON_TYPE = 'content-type: application/json';
const CHUNKED = 'transfer-encoding: chunked';

/** The answer to the next request, after a wait, while no room is given back. */
const NO_ROOM_ANSWER = /^HTTP\/1\.1 503 .*retry-after: [1-9].*application\/problem\+json.*"code":"no_room_for_body"/s;
const TIMEOUT_ANSWER = /^HTTP\/1\.1 408 .*application\/problem\+json.*"code":"request_timeout"/s;
const ACCEPTED_ANSWER = /^HTTP\/1\.1 202 /;

/** A request whose body is sent in steps. JSON may end with any number of blanks. */
class Sender {
  private readonly socket: Socket;
  readonly answer: Promise<string>;
  private bytesLeft = 0;
  private sendTimer: NodeJS.Timeout | undefined;

  constructor(
    port: number,
    private readonly headers = [JSON_TYPE],
  ) {
    this.socket = connect(port, '127.0.0.1')
      .setEncoding('latin1')
      .on('error', () => undefined);
    let text = '';
    this.socket.on('data', (chunk: string) => (text += chunk));
    this.answer = once(this.socket, 'close').then(() => text);
  }

  private get chunked(): boolean {
    return this.headers.includes(CHUNKED);
  }

  /** Sends the head and the beginning of a body of so many bytes. */
  async begin(bytes: number, first = REQUEST_JSON): Promise<this> {
    const own = this.chunked ? [] : [`content-length: ${bytes}`];
    const head = ['host: a.example', `authorization: Bearer ${API_KEY}`, 'connection: close', ...this.headers, ...own];
    this.socket.write(['POST /v2/send/email HTTP/1.1', ...head, '', ''].join('\r\n'));
    this.bytesLeft = bytes;
    await this.write(first);
    return this;
  }

  async write(bytes: string | Buffer): Promise<void> {
    this.bytesLeft -= bytes.length;
    const framed = this.chunked ? [`${bytes.length.toString(16)}\r\n`, bytes, '\r\n'] : [bytes];
    let free = true;
    for (const one of framed) free = this.socket.write(one);
    if (!free) await Promise.race([once(this.socket, 'drain'), this.answer]);
  }

  /** Keeps sending, as fast as is needed for the body to be complete in time. */
  keepSending(): this {
    const step = Math.ceil(this.bytesLeft / 50);
    this.sendTimer = setInterval(() => {
      const piece = BLANKS.subarray(0, Math.min(step, this.bytesLeft - step));
      if (piece.length > 0) void this.write(piece);
    }, 500);
    return this;
  }

  async writeAllBut(rest: number): Promise<this> {
    clearInterval(this.sendTimer);
    while (this.bytesLeft > rest && !this.socket.destroyed) await this.write(BLANKS.subarray(0, this.bytesLeft - rest));
    return this;
  }

  async finish(last = ''): Promise<string> {
    await this.writeAllBut(last.length);
    if (last) await this.write(last);
    if (this.chunked) this.socket.write('0\r\n\r\n');
    return this.answer;
  }

  disconnect(): void {
    clearInterval(this.sendTimer);
    this.socket.destroy();
  }
}

describe('concurrent large bodies', () => {
  const lettermill = installed({ RATE_LIMIT: '0' });
  beforeAll(() => lettermill.launch('order'));

  const sender = (...headers: string[]) => new Sender(lettermill.port, headers.length > 0 ? headers : undefined);
  const beginRequest = (bytes = LARGE_BYTES) => sender().begin(bytes);
  /** Two requests that have sent little and take all the room. */
  const fillRoom = async () => (await Promise.all([beginRequest(), beginRequest()])).map((one) => one.keepSending());
  const expectAccepted = async (senders: Sender[]) => {
    for (const answer of await Promise.all(senders.map((one) => one.finish()))) expect(answer).toMatch(ACCEPTED_ANSWER);
  };
  const sendSmall = async () => (await lettermill.send({ campaign: 'order', to: 'ada@example.com' })).status;

  const FORM_END = `\r\n--${BOUNDARY}--\r\n`;
  /** Ways to send a body: whole, in chunks, as the part `json` of a form, or both. */
  const forms = [
    { headers: [JSON_TYPE], before: '', after: '' },
    { headers: [JSON_TYPE, CHUNKED], before: '', after: '' },
    { headers: [FORM_TYPE], before: JSON_PART_HEAD, after: FORM_END },
    { headers: [FORM_TYPE, CHUNKED], before: JSON_PART_HEAD, after: FORM_END },
  ];

  it('are refused with 503 while there is no room, in every form, and small ones are accepted', async () => {
    const send = async ({ headers, before, after }: (typeof forms)[number]) =>
      (await sender(...headers).begin(LARGE_BYTES, before + REQUEST_JSON)).finish(after);
    const holding = await fillRoom();
    const refused = Promise.all(forms.map(send));
    const middle = await beginRequest(MEDIUM_BYTES);
    expect([await sendSmall(), await middle.finish()]).toEqual([202, expect.stringMatching(ACCEPTED_ANSWER)]);
    for (const answer of await refused) expect(answer).toMatch(NO_ROOM_ANSWER);
    await expectAccepted(holding);
    for (const form of forms) expect(await send(form)).toMatch(ACCEPTED_ANSWER);
    await expectAccepted(await fillRoom());
  });

  it('count by their number of values, too: two dense ones take all the room', async () => {
    const inner = `[${'{},'.repeat(2300)}{}]`;
    const to = Array.from(
      { length: 100 },
      (_, i) => `{"contact_key":"${i}@example.com","profile_data":{"a":${inner}}}`,
    );
    const dense = `{"campaign":"order","to":[${to.join(',')}]}`;
    const file = `\r\n--${BOUNDARY}\r\ncontent-disposition: form-data; name="f"; filename="a.txt"\r\n\r\n`;
    const first = JSON_PART_HEAD + dense + file;
    const begin = () => sender(FORM_TYPE).begin(first.length + MIB, first);
    const holding = (await Promise.all([begin(), begin()])).map((one) => one.keepSending());
    const third = async () => (await sender().begin(dense.length, dense)).answer;
    // It is accepted as long as the two have not been read so far.
    while (!NO_ROOM_ANSWER.test(await third())) await pause(100);
    for (const one of holding) expect(await one.finish(FORM_END)).toMatch(ACCEPTED_ANSWER);
    expect(await (await sender().begin(dense.length, dense)).answer).toMatch(ACCEPTED_ANSWER);
  });

  it('do not count the files of a form, which are not held in memory', async () => {
    const holding = await fillRoom();
    const file = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="f"; filename="a.txt"\r\n\r\n`;
    const form = await sender(FORM_TYPE).begin(9 * MIB, `${JSON_PART_HEAD}${REQUEST_JSON}\r\n${file}`);
    expect(await form.finish(FORM_END)).toMatch(ACCEPTED_ANSWER);
    await expectAccepted(holding);
  });

  it('wait until another one is answered or its client disconnects', async () => {
    const [first, second] = await fillRoom();
    const third = await beginRequest();
    const fourth = await beginRequest();
    await pause(300);
    expect(await first!.finish()).toMatch(ACCEPTED_ANSWER);
    expect(await third.finish()).toMatch(ACCEPTED_ANSWER);
    second!.disconnect();
    expect(await fourth.finish()).toMatch(ACCEPTED_ANSWER);
  });

  it('get 408 if they come too slowly while others wait, in every form', async () => {
    const [held, chunked] = [await beginRequest(), await sender(JSON_TYPE, CHUNKED).begin(LARGE_BYTES)];
    await chunked.writeAllBut(LARGE_BYTES - 2 * MIB);
    await pause(500);
    const next = await fillRoom();
    for (const slow of [held, chunked]) expect(await slow.answer).toMatch(TIMEOUT_ANSWER);
    await expectAccepted(next);
    const form = await sender(FORM_TYPE, CHUNKED).begin(LARGE_BYTES, JSON_PART_HEAD + REQUEST_JSON);
    await form.writeAllBut(LARGE_BYTES - 2 * MIB);
    await pause(500);
    const other = (await beginRequest()).keepSending();
    const third = await beginRequest();
    expect(await form.answer).toMatch(TIMEOUT_ANSWER);
    await expectAccepted([third, other]);
    const { body } = await lettermill.call<string>('GET', '/metrics');
    expect(body).toContain('lettermill_bodies_refused_total{service="gateway",reason="slow"} 3');
    expect(body).toContain('lettermill_bodies_in_hand_bytes{service="gateway",size="large"} 0');
  });

  it('take no room once their clients disconnect, whether they wait or are being read', async () => {
    for (let i = 0; i < 3; i += 1) {
      const gone = [...(await fillRoom()), await beginRequest(), await sender(JSON_TYPE, CHUNKED).begin(LARGE_BYTES)];
      await Promise.all(gone.map((one) => one.writeAllBut(LARGE_BYTES - 100_000)));
      await pause(200);
      gone.forEach((one) => one.disconnect());
    }
    await expectAccepted(await fillRoom());
  });

  it('need no room if they are refused for another reason', async () => {
    const holding = await fillRoom();
    expect(await (await beginRequest(40 * MIB)).answer).toMatch(/^HTTP\/1\.1 413 /);
    await expectAccepted(holding);
  });
});

describe('large bodies in progress when the process is told to end', () => {
  it('are answered, and those that wait for room get 503 at once', async () => {
    const lettermill = await Lettermill.start({ RATE_LIMIT: '0' });
    try {
      await lettermill.launch('order');
      const beginRequest = () => new Sender(lettermill.port).begin(LARGE_BYTES);
      const holding = [await beginRequest(), await beginRequest()];
      const waiting = await beginRequest();
      // From then on the time is limited.
      for (const one of holding) await one.writeAllBut(MIB);
      await pause(300);
      const code = lettermill.stop();
      expect(await waiting.answer).toMatch(NO_ROOM_ANSWER);
      for (const one of holding) expect(await one.finish()).toMatch(ACCEPTED_ANSWER);
      expect(await code).toBe(0);
    } finally {
      await lettermill.destroy();
    }
  });
});
