import { Lettermill } from './lettermill';
import { SmtpSink, type SinkOptions } from './smtp.sink';

type Environment = Record<string, string>;
type ValueOrFunction<T> = T | (() => T);

const evaluate = (environment: ValueOrFunction<Environment>) =>
  typeof environment === 'function' ? environment() : environment;

/** Longer than the time limit for processes to be ready, so that their own error, which has their output, comes first. */
const START_TIMEOUT_MS = 150_000;

/**
 * The product for all tests of the calling suite: started before the first test, removed after the last. A `beforeAll` below
 * this call finds it running. What the environment needs is started in a `beforeAll` above it, and passed by a function.
 */
export function installed(environment: ValueOrFunction<Environment> = {}): Lettermill {
  const lettermill = new Lettermill();
  beforeAll(async () => {
    await lettermill.install(evaluate(environment));
    await lettermill.start();
  }, START_TIMEOUT_MS);
  afterAll(() => lettermill.destroy());
  return lettermill;
}

/** The same, with an SMTP server of the suite's own as its next hop. */
export function installedWithSink(environment: ValueOrFunction<Environment> = {}, options: SinkOptions = {}) {
  const sink = new SmtpSink(options);
  beforeAll(() => sink.start());
  const lettermill = installed(() => ({ SMTP_URL: sink.url, ...evaluate(environment) }));
  afterAll(() => sink.stop());
  return { sink, lettermill };
}
