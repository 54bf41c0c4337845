import { setTimeout } from 'node:timers/promises';
import { TokenBucket } from '../../apps/dispatch/src/due/token.bucket';
import { installed } from '../installations/installed';
import { waitFor } from '../installations/lettermill';
import { refuse, SmtpSink } from '../installations/smtp.sink';

/** More than the hop takes in a minute. */
const LETTERS = 3_000;
const PER_SECOND = 20;

/** Whether a hop takes the next mail: `PER_SECOND` of them a second, and it answers all others as Amazon SES does; or none, or all. */
class HopLimit {
  mode: 'throttling' | 'full' | 'free' = 'throttling';
  putOff = 0;
  private readonly rate = new TokenBucket(PER_SECOND);

  refusal(): Error | null {
    if (this.mode === 'free' || (this.mode === 'throttling' && this.rate.take(Date.now()))) return null;
    this.putOff += 1;
    return this.mode === 'full'
      ? refuse(452, '4.3.1 Insufficient system storage')
      : refuse(454, 'Throttling failure: Maximum sending rate exceeded.');
  }
}

describe('a hop that puts mail off', () => {
  const hop = new HopLimit();
  const sink = new SmtpSink({}, () => hop.refusal());
  beforeAll(() => sink.start());
  const lettermill = installed(() => ({ SMTP_URL: sink.url, RATE_LIMIT: '0', RETRY_DELAYS: '600' }));
  afterAll(() => sink.stop());
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
    await waitFor(() => sink.mails.length >= 600 || undefined, 'the others to be taken');
  });

  it('because it takes only some a second gets about as many: waiting mail keeps its attempts, urgent mail arrives', async () => {
    hop.mode = 'throttling';
    sink.mails.length = 0;
    hop.putOff = 0;
    await sendLetters('letter', LETTERS / 100);
    await waitFor(() => sink.mails.length > 4 * PER_SECOND || undefined, 'the hop to take some');
    const codes = Array.from({ length: 20 }, (_, n) => `code-${n}@shop.example`);
    for (const to of codes) expect((await lettermill.send({ campaign: 'codes', to })).status).toBe(202);
    // Without a rate, all that wait are tried within two seconds, and nearly every code is put off, as all of them are.
    await waitFor(() => codes.filter((to) => sink.mailsTo(to).length > 0).length >= 15 || undefined, 'the codes');
    expect(sink.mails.length).toBeLessThan(LETTERS / 2);
    expect(hop.putOff).toBeLessThan(LETTERS / 3);
  });
});
