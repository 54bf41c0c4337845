import { Type, type Static } from '@sinclair/typebox';
import { ContactKey } from './address.schema';
import { ID_PATTERN } from './patterns';
import { ClosedObject } from './schema';

export const EmailMessageResult = ClosedObject(
  {
    message_id: Type.String({ pattern: ID_PATTERN, examples: ['0W3vqk2Zb8Yx7NcRtA'] }),
    contact_key: ContactKey,
    external_message_id: Type.Optional(Type.String({ description: 'As given in the request.' })),
  },
  { title: 'EmailMessageResult', description: 'One message that was accepted.' },
);
export type EmailMessageResult = Static<typeof EmailMessageResult>;

/** Body of the 202. */
export const SendEmailAck = ClosedObject(
  {
    request_id: Type.String({ format: 'uuid', description: 'UUIDv7.' }),
    messages: Type.Array(EmailMessageResult, { description: 'One per recipient, in the order of the request.' }),
  },
  {
    title: 'SendEmailAck',
    description: 'The messages of the request. All of them are on the durable log.',
    examples: [
      {
        request_id: '0199f0c2-5d6e-7c1a-9b57-3f2a8f0c1d2e',
        messages: [{ message_id: '0W3vqk2Zb8Yx7NcRtA', contact_key: { email: 'ada@example.com' } }],
      },
    ],
  },
);
export type SendEmailAck = Static<typeof SendEmailAck>;
