import { Problem } from '@lettermill/problems';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Content types accepted for a mail. */
export const MAIL_TYPES = ['message/rfc822', 'text/plain', 'application/octet-stream'] as const;
const INBOUND_PATH = '/v2/inbound/';

const takesMails = ({ routeOptions }: FastifyRequest): boolean => routeOptions.url?.startsWith(INBOUND_PATH) ?? false;

/** The 415 problem; it names the types that the call accepts: those of a mail, or JSON. */
export function unsupportedType(request: FastifyRequest): Problem {
  const types = takesMails(request) ? MAIL_TYPES.join(', ') : 'application/json';
  return new Problem('content_type_unsupported', `Send the body as ${types}.`);
}

/** Lets the calls that take a mail read it as bytes. No other call accepts these types, and these calls accept no others. */
export function acceptMails(fastify: FastifyInstance): void {
  fastify.addContentTypeParser([...MAIL_TYPES], { parseAs: 'buffer' }, (request, body, done) => {
    if (takesMails(request)) done(null, body);
    else done(unsupportedType(request));
  });
  // Before it is read as JSON: what would be wrong with it as JSON is of no help.
  fastify.addHook('onRoute', (route) => {
    if (!route.url.startsWith(INBOUND_PATH)) return;
    route.preParsing = (request, _reply, _payload, done) => {
      const isJson = /^application\/json\b/i.test(request.headers['content-type'] ?? '');
      done(isJson ? unsupportedType(request) : undefined);
    };
  });
  // Any other type.
  fastify.addContentTypeParser(/^/, (request, _payload, done) => done(unsupportedType(request)));
}
