import { recipientsOf, type SendEmailRequest } from '@lettermill/contract';
import { decodeEvent } from '@lettermill/events';
import { acceptedMessages, acknowledgement, requestRecords, type PreparedRequest } from './request.records';

const HOSTILE = 'a"b\\ü\u2028';
const AT = '2026-03-01T12:00:00.000Z';
const REQUEST = {
  accountId: 'a"',
  requestId: 'r',
  acceptedAt: AT,
  traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
};
const CAMPAIGN = { id: 'C'.repeat(18), slug: 'order', version: 3, priority: 'high' as const };
const BODY: SendEmailRequest = {
  campaign: 'order',
  to: [
    {
      contact_key: { email: 'Ada@x.org', name: HOSTILE },
      email_address: { email: 'other@x.org', name: 'O' },
      external_message_id: 'order-1',
      profile_data: { [HOSTILE]: [null, 1, HOSTILE] },
    },
    { crm: HOSTILE },
  ],
};
const IDS = ['M'.repeat(18), 'N'.repeat(18)];

describe('the messages of a request', () => {
  const messages = acceptedMessages(recipientsOf(BODY), IDS);
  const read = (prepared: Partial<PreparedRequest> = {}) =>
    requestRecords(REQUEST, { campaign: CAMPAIGN, messages, ...prepared }).map((record) => {
      const { id, type, source, time, data, traceparent } = decodeEvent({ ...record, partition: 0, position: 0 });
      return { topic: record.topic, key: record.key, id, type, source, time, traceparent, data };
    });
  const common = {
    account_id: 'a"',
    request_id: 'r',
    accepted_at: AT,
    campaign: { id: CAMPAIGN.id, slug: 'order', version: 3 },
  };
  const event = { topic: 'message-requested-high', type: 'MessageRequested', source: 'gateway', time: AT };
  const ada = {
    message_id: IDS[0],
    contact_key: { email: 'Ada@x.org' },
    external_message_id: 'order-1',
    name: HOSTILE,
    email_address: { email: 'other@x.org', name: 'O' },
    profile_data: { [HOSTILE]: [null, 1, HOSTILE] },
  };

  it('are events with all that each recipient brings, in the order of its contact, under the id of the message', () => {
    const { traceparent } = REQUEST;
    expect(read()).toEqual([
      { ...event, traceparent, key: 'a":email:ada@x.org', id: IDS[0], data: { ...common, ...ada } },
      {
        ...event,
        traceparent,
        key: `a":crm:${HOSTILE}`,
        id: IDS[1],
        data: { ...common, message_id: IDS[1], contact_key: { crm: HOSTILE } },
      },
    ]);
  });

  it('have what was stored for each of them, what they share, and the copies of the campaign', () => {
    const blob = { blob: 'b'.repeat(64), size: 7 };
    const own = { message: { subject: 'S' }, attachments: [{ ...blob, file_name: 'f', content_type: 'a/b' }] };
    const shared = { profile_data: { a: 1 } };
    const copies = { cc: [{ email: 'cc@x.org' }] };
    const [one, two] = read({
      campaign: { ...CAMPAIGN, copiesJson: JSON.stringify(copies) },
      messages: [{ ...messages[0]!, ...own }, messages[1]!],
      sharedJson: JSON.stringify(shared),
    });
    expect(one!.data).toEqual({ ...common, campaign_copies: copies, ...ada, ...own, shared });
    expect(two!.data).toMatchObject({ campaign_copies: copies, shared });
    expect(two!.data).not.toHaveProperty('message');
  });

  it('are acknowledged with their ids, as the request named contacts and messages', () => {
    expect(JSON.parse(acknowledgement('r', messages))).toEqual({
      request_id: 'r',
      messages: [
        { message_id: IDS[0], contact_key: { email: 'Ada@x.org' }, external_message_id: 'order-1' },
        { message_id: IDS[1], contact_key: { crm: HOSTILE } },
      ],
    });
  });
});
