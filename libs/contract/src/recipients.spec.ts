import { recipientsOf } from './recipients';
import { EmailMessageRecipient, type SendEmailRequest } from './send.schema';

const recipientsFor = (to: SendEmailRequest['to']) => recipientsOf({ campaign: 'welcome', to });
const EMAIL = 'Ada@Example.com';
const BY_EMAIL = { contactKey: { kind: 'email', value: EMAIL } };

describe('recipientsOf', () => {
  it.each<[string, SendEmailRequest['to'], object]>([
    ['an address', EMAIL, BY_EMAIL],
    ['an address in an object', { email: EMAIL }, BY_EMAIL],
    ['an address with name', { email: EMAIL, name: 'Ada' }, { ...BY_EMAIL, name: 'Ada' }],
    ['an address as contact_key', { contact_key: EMAIL }, BY_EMAIL],
    ['an address with name as contact_key', { contact_key: { email: EMAIL, name: '' } }, { ...BY_EMAIL, name: '' }],
    ['a phone', { sms: '+123' }, { contactKey: { kind: 'sms', value: '+123' } }],
    ['an id', { contact_key: { id: 'x' } }, { contactKey: { kind: 'id', value: 'x' } }],
    [
      'a custom key',
      { constructor: 'C' } as unknown as { [key: string]: string },
      { contactKey: { kind: 'constructor', value: 'C' } },
    ],
  ])('reads a recipient given by %s', (_name, to, recipient) => {
    expect(recipientsFor(to)).toEqual([{ pointer: '/to', ...recipient }]);
  });

  it('keeps all that is given for a recipient', () => {
    const attachments = [{ attachment_type: 'file' as const, file_name: 'a', data: '' }];
    const full = {
      contact_key: { customer: 'C-1' },
      email_address: 'b@example.com',
      external_message_id: 'one',
      profile_data: { a: 1 },
      message: { subject: 'x' },
      attachments,
    };
    expect(recipientsFor([EMAIL, full, { ...full, email_address: { email: 'c@example.com', name: 'C' } }])).toEqual([
      { pointer: '/to/0', ...BY_EMAIL },
      {
        pointer: '/to/1',
        contactKey: { kind: 'customer', value: 'C-1' },
        emailAddress: { email: 'b@example.com' },
        externalMessageId: 'one',
        profileData: { a: 1 },
        message: { subject: 'x' },
        attachments,
      },
      expect.objectContaining({ pointer: '/to/2', emailAddress: { email: 'c@example.com', name: 'C' } }),
    ]);
  });

  it('reads every field of a recipient: an unread one would be accepted without effect', () => {
    const read = new Set<string | symbol>();
    const recipient = new Proxy<EmailMessageRecipient>(
      { contact_key: EMAIL },
      { get: (from, name) => (read.add(name), Reflect.get(from, name) as unknown) },
    );
    recipientsFor([recipient]);
    expect([...read].sort()).toEqual(Object.keys(EmailMessageRecipient.properties).sort());
  });
});
