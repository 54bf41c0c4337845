import { randomBytes } from 'node:crypto';
import { installedWithSink } from '../installations/installed';
import { waitFor } from '../installations/lettermill';
import { OtlpReceiver, type ReceivedSpan } from './otlp.receiver';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const CALLER_SPAN_ID = 'b7ad6b7169203331';

describe('traces', () => {
  const receiver = new OtlpReceiver();
  beforeAll(() => receiver.start());
  const { lettermill } = installedWithSink(() => ({
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_BSP_SCHEDULE_DELAY: '200',
    RATE_LIMIT: '0',
  }));
  beforeAll(() => lettermill.launch('order'));
  afterAll(() => receiver.stop());

  const waitForSpan = (traceId: string, name: string, service: string): Promise<ReceivedSpan> =>
    waitFor(
      () => receiver.spans.find((span) => span.traceId === traceId && span.name === name && span.service === service),
      `a span ${name} of ${service}`,
      60_000,
    );

  it('lead from the caller to the SMTP attempt, each span below the one that caused it', async () => {
    const { status, body } = await lettermill.send(
      { campaign: 'order', to: 'traced@example.com' },
      { traceparent: `00-${TRACE_ID}-${CALLER_SPAN_ID}-01` },
    );
    expect(status).toBe(202);
    const chain = [
      await waitForSpan(TRACE_ID, 'POST /v2/send/email', 'lettermill-gateway'),
      await waitForSpan(TRACE_ID, 'publish MessageRequested', 'lettermill-gateway'),
      await waitForSpan(TRACE_ID, 'process MessageRequested', 'lettermill-contacts'),
      await waitForSpan(TRACE_ID, 'process ContactUpserted', 'lettermill-renderer'),
      await waitForSpan(TRACE_ID, 'process MessageQueued', 'lettermill-dispatch'),
      await waitForSpan(TRACE_ID, 'smtp attempt', 'lettermill-dispatch'),
    ];
    expect(chain.map(({ parentId }) => parentId)).toEqual([
      CALLER_SPAN_ID,
      ...chain.slice(0, -1).map(({ spanId }) => spanId),
    ]);
    const render = await waitForSpan(TRACE_ID, 'render', 'lettermill-renderer');
    expect(render.parentId).toBe(chain[3]!.spanId);
    expect(chain[0]!.facts).toMatchObject({
      'http.response.status_code': 202,
      'lettermill.request_id': body.request_id,
    });
    const { message_id } = body.messages[0]!;
    expect(chain[5]!.facts).toMatchObject({ 'lettermill.outcome': 'sent', 'lettermill.message_id': message_id });
    await waitForSpan(TRACE_ID, 'process MessageSent', 'lettermill-tracker');
  });

  it("begin anew if the caller's is invalid, and are not recorded if the caller does not sample", async () => {
    const unsampled = '1af7651916cd43dd8448eb211c80319c';
    const call = { campaign: 'order', to: 'plain@example.com' };
    await lettermill.send(call, { traceparent: `00-${unsampled}-${CALLER_SPAN_ID}-00` });
    const { body } = await lettermill.send(call, { traceparent: 'rubbish' });
    const begun = await waitFor(
      () => receiver.spans.find(({ facts }) => facts['lettermill.request_id'] === body.request_id),
      'the trace of the second request',
      60_000,
    );
    expect(begun.parentId).toBe('');
    const attempt = await waitForSpan(begun.traceId, 'smtp attempt', 'lettermill-dispatch');
    expect(attempt.facts['lettermill.message_id']).toBe(body.messages[0]!.message_id);
    expect(receiver.spans.filter(({ traceId }) => traceId === unsampled)).toEqual([]);
  });

  it.each([
    ['POST', '/retry', 'GET /v2/messages/:message_id/delivery'],
    ['POST', '/cancel', 'POST /v2/messages/:message_id/cancel'],
  ])('lead through the gateway to the service that it calls: %s …%s', async (method, order, asked) => {
    const traceId = randomBytes(16).toString('hex');
    const { body } = await lettermill.send({ campaign: 'order', to: 'ordered@example.com' });
    const path = `/v2/messages/${body.messages[0]!.message_id}${order}`;
    await lettermill.call(method, path, {}, { traceparent: `00-${traceId}-${CALLER_SPAN_ID}-01` });
    const call = await waitForSpan(traceId, `${method} /v2/messages/:message_id${order}`, 'lettermill-gateway');
    expect([call.parentId, (await waitForSpan(traceId, asked, 'lettermill-dispatch')).parentId]).toEqual([
      CALLER_SPAN_ID,
      call.spanId,
    ]);
  });

  it('include the look-up of a campaign that the gateway does not know', async () => {
    const traceId = randomBytes(16).toString('hex');
    const told = { traceparent: `00-${traceId}-${CALLER_SPAN_ID}-01` };
    const { status } = await lettermill.send({ campaign: 'no-such', to: 'ada@example.com' }, told);
    const call = await waitForSpan(traceId, 'POST /v2/send/email', 'lettermill-gateway');
    const asked = await waitForSpan(traceId, 'GET /v2/campaigns/:campaign', 'lettermill-renderer');
    expect([status, call.parentId, asked.parentId]).toEqual([422, CALLER_SPAN_ID, call.spanId]);
  });

  it('contain no addresses and no probes', async () => {
    await fetch(`${lettermill.url}/health/ready`);
    expect(await lettermill.stop('SIGTERM')).toBe(0);
    expect(JSON.stringify(receiver.spans)).not.toMatch(/@|example\.com/);
    expect(receiver.spans.filter(({ name }) => /health|metrics/.test(name))).toEqual([]);
  });
});
