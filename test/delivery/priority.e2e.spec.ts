import { installedWithSink } from '../installations/installed';
import { waitFor } from '../installations/lettermill';

/** So many messages that they are accepted much faster than their contacts are resolved and their mails rendered. */
const CALL_COUNT = 100;
const RECIPIENTS_PER_CALL = 100;

const recipients = (call: number) =>
  Array.from({ length: RECIPIENTS_PER_CALL }, (_, at) => ({
    email: `letter-${call * RECIPIENTS_PER_CALL + at}@d${at % 7}.example`,
  }));

describe('a campaign of higher priority', () => {
  // Few letters are sent meanwhile: this is about overtaking before mails are rendered, not in the queue for the next hop.
  const { sink, lettermill } = installedWithSink({ RATE_LIMIT: '0', HOP_RATE: '100' });
  beforeAll(async () => {
    await lettermill.launch('letters', { priority: 'bulk' });
    await lettermill.launch('receipts');
    await lettermill.launch('codes', { priority: 'high' });
  });

  const accept = async (campaign: string, to: unknown) => {
    const { status, body } = await lettermill.send({ campaign, to });
    expect(status).toBe(202);
    return body.messages.at(-1)!.message_id;
  };
  const queuedAt = (id: string) =>
    waitFor(async () => {
      const { body } = await lettermill.message(id);
      return body.timeline?.find(({ type }) => type === 'queued')?.at;
    }, `message ${id} to be queued`);

  it('does not wait until all earlier messages are rendered', async () => {
    const letters = await Promise.all(
      Array.from({ length: CALL_COUNT }, (_, call) => accept('letters', recipients(call))),
    );
    const receipt = await accept('receipts', 'receipt@shop.example');
    const code = await accept('codes', 'code@shop.example');
    await Promise.all([sink.firstMailTo('receipt@shop.example'), sink.firstMailTo('code@shop.example')]);
    // One after another: asking for all of them at once would delay the messages themselves.
    const queued: string[] = [];
    for (const letter of letters) queued.push(await queuedAt(letter));
    const last = queued.sort().at(-1)!;
    expect((await queuedAt(receipt)) < last).toBe(true);
    expect((await queuedAt(code)) < last).toBe(true);
  });
});
