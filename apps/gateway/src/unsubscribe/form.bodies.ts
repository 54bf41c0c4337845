import type { FastifyInstance, FastifyRequest } from 'fastify';
import { unsupportedType } from '../inbound/mail.bodies';

const FORM = 'application/x-www-form-urlencoded';

const isUnsubscribeLink = ({ routeOptions }: FastifyRequest): boolean =>
  routeOptions.url?.startsWith('/unsubscribe/') ?? false;

/**
 * Lets unsubscribe links accept any body that mail programs and the button of our page post, whatever its type; no other call accepts a
 * form.
 */
export function acceptForms(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (isUnsubscribeLink(request)) request.headers['content-type'] = FORM;
    done();
  });
  fastify.addContentTypeParser(FORM, { parseAs: 'buffer' }, (request, _body, done) => {
    // The body adds nothing to what the link says.
    if (isUnsubscribeLink(request)) done(null, undefined);
    else done(unsupportedType(request));
  });
}
