import { Type } from '@sinclair/typebox';
import { ANSWERS, FAULTS, MAX_FAULTS } from '@lettermill/problems';
import { ClosedObject, StringEnum } from './schema';

export const FaultCode = StringEnum(Object.keys(FAULTS), { title: 'FaultCode' });
export const ProblemCode = StringEnum(Object.keys(ANSWERS), { title: 'ProblemCode' });

export const FaultSchema = ClosedObject(
  {
    pointer: Type.String({ description: 'JSON Pointer (RFC 6901) into the request.', examples: ['/to/0/email'] }),
    code: FaultCode,
    detail: Type.String({ description: 'What was found and what is allowed.' }),
    message_id: Type.Optional(
      Type.String({ description: 'With `external_message_id_taken` and `perhaps_accepted`: the message.' }),
    ),
  },
  { title: 'Fault', description: 'One broken rule.' },
);

export const ProblemSchema = ClosedObject(
  {
    type: Type.String({ format: 'uri', description: 'Stable URI of this kind of problem.' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    instance: Type.String({ description: 'Path of the call.' }),
    request_id: Type.String(),
    code: ProblemCode,
    fix: Type.String({ description: 'What to do about it.' }),
    error_count: Type.Optional(Type.Integer({ description: 'How many rules are broken, including those not listed.' })),
    errors: Type.Optional(
      Type.Array(FaultSchema, { description: 'With 422: the broken rules.', maxItems: MAX_FAULTS }),
    ),
  },
  { title: 'Problem', description: 'A refusal (RFC 9457, application/problem+json).' },
);
