import { Problem } from '@lettermill/problems';
import type { FastifyInstance } from 'fastify';

/** Content types under which a mail may come. */
export const MAIL_TYPES = ['message/rfc822', 'text/plain', 'application/octet-stream'] as const;
const INBOUND = '/v2/inbound/';

/** Lets the calls that take a mail read it as bytes; no other call takes these types. */
export function acceptMails(fastify: FastifyInstance): void {
  fastify.addContentTypeParser([...MAIL_TYPES], { parseAs: 'buffer' }, (request, body, done) => {
    if (request.routeOptions.url?.startsWith(INBOUND)) done(null, body);
    else done(new Problem('content_type_unsupported', 'Send the body as application/json.'));
  });
}
