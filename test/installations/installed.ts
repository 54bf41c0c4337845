import { Lettermill } from './lettermill';
import { SmtpSink } from './smtp.sink';

type Environment = Record<string, string>;
type Told<T> = T | (() => T);

const told = (environment: Told<Environment>) => (typeof environment === 'function' ? environment() : environment);

/** Processes that are not ready in time say so themselves, with all that they have told: that is to come first. */
const START_MS = 150_000;

/**
 * The product for all tests of the suite that calls this: started before the first, gone after the last. What the
 * suite does `beforeAll` below the call finds it running; what the environment needs is started above, and told by a function.
 */
export function installed(environment: Told<Environment> = {}): Lettermill {
  const lettermill = new Lettermill();
  beforeAll(async () => {
    await lettermill.install(told(environment));
    await lettermill.start();
  }, START_MS);
  afterAll(() => lettermill.destroy());
  return lettermill;
}

/** The same, with an SMTP server of the suite's own as its next hop. */
export function installedWithSink(environment: Told<Environment> = {}) {
  const sink = new SmtpSink();
  beforeAll(() => sink.start());
  const lettermill = installed(() => ({ SMTP_URL: sink.url, ...told(environment) }));
  afterAll(() => sink.stop());
  return { sink, lettermill };
}
