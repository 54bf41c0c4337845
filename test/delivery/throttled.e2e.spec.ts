import { once } from 'node:events';
import { LoopbackServer } from '../../apps/mailbox/src/mailbox/loopback.server';
import { installed } from '../installations/installed';
import { waitFor } from '../installations/lettermill';

/** More than the hop takes in a minute. */
const LETTERS = 3_000;
const PER_SECOND = 20;

/** Takes `PER_SECOND` mails a second, and answers all others as Amazon SES does. */
class ThrottlingHop {
  readonly taken = new Set<string>();
  throttled = 0;
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
        if (this.left < 1) {
          this.throttled += 1;
          return done(
            Object.assign(new Error('Throttling failure: Maximum sending rate exceeded.'), { responseCode: 454 }),
          );
        }
        this.left -= 1;
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

  async stop(): Promise<void> {
    clearInterval(this.refill);
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }
}

describe('a hop that takes only some mails a second', () => {
  const hop = new ThrottlingHop();
  let url: string;
  beforeAll(async () => void (url = await hop.start()));
  const lettermill = installed(() => ({ SMTP_URL: url, RATE_LIMIT: '0' }));
  afterAll(() => hop.stop());

  it('gets about as many, so that waiting mail keeps its attempts, and urgent mail arrives', async () => {
    await lettermill.launch('letters', { priority: 'bulk' });
    await lettermill.launch('codes', { priority: 'high' });
    for (let call = 0; call < LETTERS / 100; call += 1) {
      const to = Array.from({ length: 100 }, (_, at) => ({ email: `letter-${call}-${at}@d${at % 20}.example` }));
      expect((await lettermill.send({ campaign: 'letters', to })).status).toBe(202);
    }
    await waitFor(() => hop.taken.size > 4 * PER_SECOND || undefined, 'the hop to take some');
    const codes = Array.from({ length: 20 }, (_, n) => `code-${n}@shop.example`);
    for (const to of codes) expect((await lettermill.send({ campaign: 'codes', to })).status).toBe(202);
    // Without a rate, all that wait are tried within two seconds, and nearly every code is put off for a minute, as all of them are.
    await waitFor(() => codes.filter((to) => hop.taken.has(to)).length >= 15 || undefined, 'the codes');
    expect(hop.taken.size).toBeLessThan(LETTERS / 2);
    expect(hop.throttled).toBeLessThan(LETTERS / 10);
  });
});
