import type { FastifyInstance, FastifyRequest } from 'fastify';
import { unread } from '../inbound/mail.bodies';

const FORM = 'application/x-www-form-urlencoded';

const atLink = ({ routeOptions }: FastifyRequest): boolean => routeOptions.url?.startsWith('/unsubscribe/') ?? false;

/** Lets links take what mail programs and the button of their page post, whatever they call it; no other call takes a form. */
export function acceptForms(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (atLink(request)) request.headers['content-type'] = FORM;
    done();
  });
  fastify.addContentTypeParser(FORM, { parseAs: 'buffer' }, (request, _body, done) => {
    // What is in it says nothing that the link does not.
    if (atLink(request)) done(null, undefined);
    else done(unread(request));
  });
}
