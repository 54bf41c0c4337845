import { installedWithSink } from '../installations/installed';
import { waitFor } from '../installations/lettermill';

const RECIPIENT_COUNT = 60;
/** All mails of the call together would take 240 MiB. */
const HEAP_LIMIT = '--max-old-space-size=120';
/** It takes a quarter of a minute on an idle machine. */
const TIMEOUT_MS = 600_000;
/** Renders to nearly the maximum size of a body. */
const LOOP_TEMPLATE = '<p>{% for i in (1..2000) %}{{ words }}{% endfor %}</p>';
const WORDS = 'lorem ipsum dolor sit amet '.repeat(40).slice(0, 1024);

describe('mails that a small template renders to the maximum size', () => {
  const { sink, lettermill } = installedWithSink({ RATE_LIMIT: '0', NODE_OPTIONS: HEAP_LIMIT }, { readsMails: false });
  beforeAll(() => lettermill.launch('order', { text: undefined, html: LOOP_TEMPLATE }));

  it(
    'are all sent, many of one call',
    async () => {
      const to = Array.from({ length: RECIPIENT_COUNT }, (_, at) => `c${at}@example.com`);
      expect((await lettermill.send({ campaign: 'order', to, profile_data: { words: WORDS } })).status).toBe(202);
      const reached = () => new Set(sink.mails.flatMap((mail) => mail.to)).size;
      await waitFor(() => reached() === RECIPIENT_COUNT, 'the mails', TIMEOUT_MS);
      expect(Math.min(...sink.mails.map(({ raw }) => raw.length))).toBeGreaterThan(2000 * WORDS.length);
    },
    2 * TIMEOUT_MS,
  );
});
