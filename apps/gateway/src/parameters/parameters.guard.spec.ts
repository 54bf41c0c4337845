import { Controller, Delete, Get, Module, Post, Put, Req, UseGuards } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { ProblemBody } from '@lettermill/problems';
import type { FastifyRequest } from 'fastify';
import { ProblemFilter } from '@lettermill/runtime';
import { ChecksParameters, ParametersGuard, ReadsBody } from './parameters.guard';

@Controller()
@UseGuards(ParametersGuard)
class CallsController {
  @Get('things')
  list(): object {
    return {};
  }

  @Put('things/:id')
  put(@Req() { body }: FastifyRequest): object {
    return { body };
  }

  @Post('things')
  @ReadsBody(true)
  make(@Req() { body }: FastifyRequest): object {
    return { body };
  }

  @Post('things/:id/cancel')
  cancel(): object {
    return {};
  }

  @Delete('things/:id')
  remove(): object {
    return {};
  }

  @Delete('others/:id')
  @ChecksParameters(true)
  removeBy(): object {
    return {};
  }
}

@Module({ controllers: [CallsController] })
class CallsModule {}

describe('a call that reads no body', () => {
  let app: NestFastifyApplication;
  beforeAll(async () => {
    const testing = await Test.createTestingModule({ imports: [CallsModule] }).compile();
    app = testing.createNestApplication<NestFastifyApplication>(new FastifyAdapter());
    app.useGlobalFilters(new ProblemFilter());
    await app.init();
  });
  afterAll(() => app.close());

  const call = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, body?: unknown) => {
    const payload = body === undefined ? {} : { payload: JSON.stringify(body) };
    const answer = await app.inject({ method, url, headers: { 'content-type': 'application/json' }, ...payload });
    return { status: answer.statusCode, ...answer.json<Partial<ProblemBody>>() };
  };

  it.each([
    ['POST', '/things/1/cancel'],
    ['DELETE', '/things/1'],
  ] as const)('is refused with a fault of each member that one has: %s %s', async (method, url) => {
    const { status, code, detail, errors } = await call(method, url, { dry_run: true, 'a/b': null });
    expect([status, code, detail]).toEqual([422, 'validation_failed', '2 rules are broken. Nothing was changed.']);
    const fault = { code: 'unknown_property', detail: 'This call reads no body.' };
    expect(errors).toEqual([
      { pointer: '/dry_run', ...fault },
      { pointer: '/a~1b', ...fault },
    ]);
  });

  it('names the query if that is where it reads its parameters', async () => {
    expect((await call('DELETE', '/others/1', { reason: 'mailbox_unknown' })).errors).toEqual([
      {
        pointer: '/reason',
        code: 'unknown_property',
        detail: 'This call reads no body; a parameter belongs in the query, such as «?reason=…».',
      },
    ]);
  });

  it.each([[[]], [null], ['x'], [0]])('is refused with %j as well', async (body) => {
    const { status, errors } = await call('POST', '/things/1/cancel', body);
    expect([status, errors]).toEqual([
      422,
      [{ pointer: '', code: 'wrong_type', detail: 'This call reads no body: send none, or an empty object.' }],
    ]);
  });

  it('is refused with faults of its query and its body together', async () => {
    const { errors } = await call('DELETE', '/things/1?force=1', { force: true });
    expect(errors?.map(({ pointer }) => pointer)).toEqual(['/query/force', '/force']);
    expect((await call('GET', '/things?force=1')).detail).toBe('1 rule is broken.');
  });

  it.each(['?contact=j%FCrgen@example.com', '?contact=%zz', '?a=%E2%82'])('is not made with %s', async (query) => {
    for (const method of ['GET', 'DELETE'] as const) {
      const { status, code, detail } = await call(method, `/${method === 'GET' ? 'things' : 'others/1'}${query}`, {});
      const why = 'An escape in the query is malformed, or is not UTF-8.';
      expect([status, code, detail]).toEqual([400, 'request_malformed', why]);
    }
  });

  it('counts no more faults than other calls do', async () => {
    const members = Object.fromEntries(Array.from({ length: 10_001 }, (_, n) => [`m${n}`, n]));
    expect((await call('DELETE', '/things/1', members)).error_count).toBe(10_000);
  });

  it('takes an empty object', async () => {
    for (const method of ['POST', 'DELETE'] as const) {
      const url = method === 'POST' ? '/things/1/cancel' : '/others/1';
      expect((await call(method, url, {})).status).toBeLessThan(300);
    }
  });

  it('is neither a PUT nor what says that it reads one', async () => {
    expect(await call('PUT', '/things/1', { a: 1 })).toMatchObject({ status: 200, body: { a: 1 } });
    expect(await call('POST', '/things', [1])).toMatchObject({ status: 201, body: [1] });
  });
});
