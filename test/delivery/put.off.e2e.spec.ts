import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { LoopbackServer } from '../../apps/mailbox/src/mailbox/loopback.server';
import { installed } from '../installations/installed';
import { waitFor } from '../installations/lettermill';

/** More than the hop takes in a minute. */
const LETTERS = 3_000;
const PER_SECOND = 20;

/** Takes `PER_SECOND` mails a second, and answers all others as Amazon SES does; or takes none, or all. */
class LimitedHop {
  mode: 'throttling' | 'full' | 'free' = 'throttling';
  readonly taken = new Set<string>();
  putOff = 0;
  private left = PER_SECOND;
  private refill: NodeJS.Timeout | undefined;
  private readonly server = new LoopbackServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 50,
    onData: (stream, { envelope }, done) => {
      stream.resume().on('end', () => {
        if (this.mode === 'full') return done(this.refusal(452, '4.3.1 Insufficient system storage'));
        if (this.mode === 'throttling' && this.left < 1) {
          return done(this.refusal(454, 'Throttling failure: Maximum sending rate exceeded.'));
        }
        if (this.mode === 'throttling') this.left -= 1;
        this.taken.add(envelope.rcptTo[0]!.address);
        done();
      });
    },
  });

  async start(): Promise<string> {
    this.server.on('error', () => undefined);
    const listening = this.server.listen(0, '127.0.0.1');
    await once(listening, 'listening');
    this.refill = setInterval(() => (this.left = Math.min(PER_SECOND, this.left + PER_SECOND / 10)), 100);
    return `smtp://127.0.0.1:${(listening.address() as { port: number }).port}?tls=off`;
  }

  private refusal(responseCode: number, text: string): Error {
    this.putOff += 1;
    return Object.assign(new Error(text), { responseCode });
  }

  async stop(): Promise<void> {
    clearInterval(this.refill);
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }
}

describe('a hop that puts mail off', () => {
  const hop = new LimitedHop();
  let url: string;
  beforeAll(async () => void (url = await hop.start()));
  const lettermill = installed(() => ({ SMTP_URL: url, RATE_LIMIT: '0', RETRY_DELAYS: '600' }));
  afterAll(() => hop.stop());
  beforeAll(async () => {
    await lettermill.launch('letters', { priority: 'bulk' });
    await lettermill.launch('codes', { priority: 'high' });
  });

  async function sendLetters(name: string, calls: number): Promise<void> {
    for (let call = 0; call < calls; call += 1) {
      const to = Array.from({ length: 100 }, (_, at) => ({ email: `${name}-${call}-${at}@d${at % 20}.example` }));
      expect((await lettermill.send({ campaign: 'letters', to })).status).toBe(202);
    }
  }

  it('because it can take nothing costs few of the waiting mails an attempt, and has the others once it can', async () => {
    hop.mode = 'full';
    await sendLetters('early', 10);
    await waitFor(() => hop.putOff >= 12 || undefined, 'the hop to refuse some');
    await setTimeout(5_000);
    expect(hop.putOff).toBeLessThan(400);
    hop.mode = 'free';
    await waitFor(() => hop.taken.size >= 600 || undefined, 'the others to be taken');
  });

  it('because it takes only some a second gets about as many: waiting mail keeps its attempts, urgent mail arrives', async () => {
    hop.mode = 'throttling';
    hop.taken.clear();
    hop.putOff = 0;
    await sendLetters('letter', LETTERS / 100);
    await waitFor(() => hop.taken.size > 4 * PER_SECOND || undefined, 'the hop to take some');
    const codes = Array.from({ length: 20 }, (_, n) => `code-${n}@shop.example`);
    for (const to of codes) expect((await lettermill.send({ campaign: 'codes', to })).status).toBe(202);
    // Without a rate, all that wait are tried within two seconds, and nearly every code is put off, as all of them are.
    await waitFor(() => codes.filter((to) => hop.taken.has(to)).length >= 15 || undefined, 'the codes');
    expect(hop.taken.size).toBeLessThan(LETTERS / 2);
    expect(hop.putOff).toBeLessThan(LETTERS / 3);
  });
});
