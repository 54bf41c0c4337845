import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  DeadLetters,
  DECISIONS,
  type DeadLetterChoice,
  type DeadLetterFilter,
  type Decision,
  type EventLog,
} from '@lettermill/log';
import { removeControlFile, writeControlFile } from '@lettermill/config';
import { Problem } from '@lettermill/problems';
import { newUuid } from '@lettermill/events';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { problemFrom, sendProblem } from '../service/problem.filter';

const MAX_BODY_BYTES = 4 * 1024 * 1024;
const TEXT_SCHEMA = { type: 'string', maxLength: 200 };
const FILTER_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  properties: { topic: TEXT_SCHEMA, group: TEXT_SCHEMA, code: TEXT_SCHEMA, since: TEXT_SCHEMA, until: TEXT_SCHEMA },
};

interface Bodies {
  list: { filter: DeadLetterFilter; limit: number };
  show: { id: string };
  decide: { decision: Decision; choice: DeadLetterChoice };
}

const BODY_SCHEMAS = {
  list: {
    required: ['filter', 'limit'],
    properties: { filter: FILTER_SCHEMA, limit: { type: 'integer', minimum: 0 } },
  },
  show: { required: ['id'], properties: { id: TEXT_SCHEMA } },
  decide: {
    required: ['decision', 'choice'],
    properties: {
      decision: { enum: DECISIONS },
      choice: {
        type: 'object',
        oneOf: [
          { required: ['ids'], properties: { ids: { type: 'array', items: TEXT_SCHEMA, maxItems: 100_000 } } },
          { required: ['filter'], properties: { filter: FILTER_SCHEMA } },
        ],
      },
    },
  },
};

const digest = (word: string) => createHash('sha256').update(word).digest();

/**
 * Serves the command line while the embedded process has DATA_DIR locked: on loopback, with a token of this run that only
 * those who can read the directory know.
 */
export class ControlServer {
  private constructor(
    private readonly app: FastifyInstance,
    private readonly dataDir: string,
  ) {}

  static async open(dataDir: string, log: EventLog): Promise<ControlServer> {
    const token = randomBytes(32).toString('base64url');
    const app = fastify({ bodyLimit: MAX_BODY_BYTES, genReqId: newUuid, forceCloseConnections: true });
    requireToken(app, token);
    addRoutes(app, new DeadLetters(log));
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    await writeControlFile(dataDir, { url, token });
    return new ControlServer(app, dataDir);
  }

  async close(): Promise<void> {
    await removeControlFile(this.dataDir);
    await this.app.close();
  }
}

function requireToken(app: FastifyInstance, token: string): void {
  const expected = digest(`Bearer ${token}`);
  app.addHook('onRequest', (request: FastifyRequest, _reply, done) => {
    const given = digest(request.headers.authorization ?? '');
    done(
      timingSafeEqual(given, expected) ? undefined : new Problem('unauthorized', 'The token of this run is missing.'),
    );
  });
  const answer = (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
    sendProblem(problemFrom(error), request, reply);
  app.setErrorHandler(answer);
  app.setNotFoundHandler((request, reply) => answer(new Problem('not_found', 'Nothing is here.'), request, reply));
}

function addRoutes(app: FastifyInstance, letters: DeadLetters): void {
  const post = <K extends keyof Bodies>(name: K, answer: (body: Bodies[K]) => Promise<unknown>) =>
    app.post(
      `/dead-letters/${name}`,
      { schema: { body: { type: 'object', ...BODY_SCHEMAS[name] } } },
      async (request) => {
        return (await answer(request.body as Bodies[K])) ?? null;
      },
    );
  post('list', ({ filter, limit }) => letters.list(filter, limit));
  post('show', ({ id }) => letters.show(id));
  post('decide', ({ decision, choice }) => letters.decide(decision, choice));
}
