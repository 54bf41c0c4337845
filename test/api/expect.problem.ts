import type { Problem } from '../installations/lettermill';

/** The answer's problem, which must have the form that all refusals have. */
export const expectProblem = async (answer: Promise<{ status: number; headers: Headers; body: unknown }>) => {
  const { status, headers, body } = await answer;
  expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
  const problem = body as Problem;
  expect(problem).toMatchObject({
    status,
    type: expect.any(String),
    title: expect.any(String),
    request_id: expect.any(String),
  });
  return { status, headers, problem };
};
