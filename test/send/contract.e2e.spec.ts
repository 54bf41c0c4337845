import { recipient, request, REQUEST_RULES, TO } from './contract.cases';
import { ContractCalls, faultsOf, refusal, UUID_V7 } from './contract.calls';
import { DETAIL_RULES, RECIPIENT_RULES } from './contract.cases.content';
import { ATTACHMENT_RULES } from './contract.cases.files';

const RULES = [...REQUEST_RULES, ...RECIPIENT_RULES, ...DETAIL_RULES, ...ATTACHMENT_RULES];
const CASE_COUNT = RULES.reduce((sum, { takes, refuses }) => sum + [takes, refuses].flatMap(Object.keys).length, 0);
const MIB = 1024 * 1024;

describe('the contract of POST /v2/send/email, over HTTP', () => {
  const calls = ContractCalls.installed();
  const send = (value: unknown) => calls.send(value);

  it(`is tried with ${CASE_COUNT} requests, at least 400`, () => expect(CASE_COUNT).toBeGreaterThanOrEqual(400));

  describe.each(RULES)('$rule', ({ takes, refuses }) => {
    if (Object.keys(takes).length > 0) {
      it.each(Object.entries(takes))('accepts %s', async (_name, value) => {
        const { status, body } = await send(value);
        expect({ status, errors: body.errors }).toEqual({ status: 202, errors: undefined });
        const recipients = [(value as { to: object }).to].flat() as Record<string, unknown>[];
        expect(body.request_id).toMatch(UUID_V7);
        expect(body.messages).toHaveLength(recipients.length);
        for (const [i, { message_id, contact_key, external_message_id }] of body.messages.entries()) {
          expect(message_id).toMatch(/^[A-Za-z0-9]{18}$/);
          expect(Object.keys(contact_key)).toHaveLength(1);
          expect(external_message_id).toBe(
            recipients[i]!.contact_key === undefined ? undefined : recipients[i]!.external_message_id,
          );
        }
      });
    }
    it.each(Object.entries(refuses))('refuses %s', async (_name, [value, ...faults]) => {
      const answer = await send(value);
      expect(refusal(answer)).toEqual([422, 'validation_failed']);
      expect(faultsOf(answer).sort()).toEqual([...faults].sort());
      expect(answer.body.error_count).toBe(faults.length);
      for (const { detail } of answer.body.errors!) expect(detail).toMatch(/^[^\u0000-\u001f\u2028\u2029]{10,600}$/);
    });
  });

  describe('the attachments of a message, 10 MiB together (docs/send.md 11)', () => {
    const MAX_ATTACHMENT_BYTES = 10 * MIB;
    const data = (bytes: number) => Buffer.alloc(bytes, 'a').toString('base64');
    const file = (bytes: number) => ({ attachment_type: 'file', file_name: 'f', data: data(bytes) });

    it.each([
      [
        'one of the request',
        (more: number) => request({ attachments: [file(MAX_ATTACHMENT_BYTES + more)] }),
        '/attachments/0',
      ],
      [
        'two of the request',
        (more: number) => request({ attachments: [file(1), file(MAX_ATTACHMENT_BYTES - 1 + more)] }),
        '/attachments/1',
      ],
      [
        'one of a recipient',
        (more: number) => recipient({ attachments: [file(MAX_ATTACHMENT_BYTES + more)] }),
        '/to/attachments/0',
      ],
      [
        'some of both',
        (more: number) =>
          request({
            attachments: [file(MAX_ATTACHMENT_BYTES - 10)],
            to: ['a@example.com', { contact_key: TO, attachments: [file(5), file(5 + more)] }],
          }),
        '/to/1/attachments/1',
      ],
    ])('are limited to the byte: %s', async (_name, make, pointer) => {
      expect((await send(make(0))).status).toBe(202);
      const over = await send(make(1));
      expect([refusal(over), faultsOf(over)]).toEqual([
        [422, 'validation_failed'],
        [`${pointer} attachments_too_large`],
      ]);
    });

    it('include those of the campaign', async () => {
      expect((await calls.lettermill.launch('filed', { attachments: [file(MAX_ATTACHMENT_BYTES - 3)] })).status).toBe(
        201,
      );
      const make = (bytes: number) => ({ ...request({ attachments: [file(bytes)] }), campaign: 'filed' });
      expect((await send(make(3))).status).toBe(202);
      expect(faultsOf(await send(make(4)))).toEqual(['/attachments/0 attachments_too_large']);
    });
  });

  it('accepts what it answers 202 to, and nothing else', () => calls.expectAccepted());
});
