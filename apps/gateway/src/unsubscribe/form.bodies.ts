import { Problem } from '@lettermill/problems';
import type { FastifyInstance } from 'fastify';

const FORM = 'application/x-www-form-urlencoded';
/** Mail programs post a few bytes (RFC 8058, 3.2); what they are says nothing that the link does not. */
const MAX_BYTES = 4096;

export function acceptForms(fastify: FastifyInstance): void {
  fastify.addContentTypeParser(FORM, { parseAs: 'buffer', bodyLimit: MAX_BYTES }, (request, _body, done) => {
    if (request.routeOptions.url?.startsWith('/unsubscribe/')) done(null, undefined);
    else done(new Problem('content_type_unsupported', 'Send the body as application/json.'));
  });
}
