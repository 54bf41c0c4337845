import { Problem } from '@lettermill/problems';
import type { FastifyInstance } from 'fastify';

const FORM = 'application/x-www-form-urlencoded';

/** Lets links take what mail programs and the button of their page post; no other call takes it. */
export function acceptForms(fastify: FastifyInstance): void {
  fastify.addContentTypeParser(FORM, { parseAs: 'buffer' }, (request, _body, done) => {
    // What is in it says nothing that the link does not.
    if (request.routeOptions.url?.startsWith('/unsubscribe/')) done(null, undefined);
    else done(new Problem('content_type_unsupported', 'Send the body as application/json.'));
  });
}
