import { installed } from '../installations/installed';
import { expectProblem } from './expect.problem';

describe('the templates of a call', () => {
  const lettermill = installed();
  beforeAll(() => lettermill.launch('order'));

  it('refuses a template that does not parse, with a pointer to it', async () => {
    const launch = await expectProblem(lettermill.launch('broken', { text: 'line one\n{{ open' }));
    expect([launch.status, launch.problem.errors]).toMatchObject([
      422,
      [{ pointer: '/text', code: 'template_invalid' }],
    ]);
    const override = await expectProblem(
      lettermill.send({ campaign: 'order', to: 'a@example.com', message: { html: '{% if %}' } }),
    );
    expect(override.problem.errors).toMatchObject([{ pointer: '/message/html', code: 'template_invalid' }]);
  });

  it('refuses a template in another language, and suggests the Liquid for it', async () => {
    const detail = 'Line 2, column 4: «.Link» is not understood; write {{ Link }}';
    const text = 'line one\n{{ .Link }}';
    const launch = await expectProblem(lettermill.launch('broken', { text }));
    expect(launch.problem.errors).toEqual([{ pointer: '/text', code: 'template_invalid', detail }]);
    const override = await expectProblem(
      lettermill.send({ campaign: 'order', to: 'a@example.com', message: { text } }),
    );
    expect(override.problem.errors).toEqual([{ pointer: '/message/text', code: 'template_invalid', detail }]);
  });

  it('refuses a merge tag of another system in a campaign, and accepts a call that quotes one', async () => {
    const text = 'Dear *|FNAME|*';
    const launch = await expectProblem(lettermill.launch('merge-tags', { text }));
    const detail =
      'Line 1, column 6: «*|FNAME|*» is not understood; write {{ FNAME }}, or put it into {% raw %} if it is meant as it is';
    expect([launch.status, launch.problem.errors]).toEqual([
      422,
      [{ pointer: '/text', code: 'template_invalid', detail }],
    ]);
    const call = { campaign: 'order', to: 'a@example.com', message: { text } };
    expect(await lettermill.send(call)).toMatchObject({ status: 202 });
  });

  it('refuses a campaign header that looks like a template, and accepts the same header in a call', async () => {
    const headers = { 'X-Order': '{{ order }}' };
    const launch = await expectProblem(lettermill.launch('headers', { headers }));
    expect([launch.status, launch.problem.errors]).toMatchObject([
      422,
      [{ pointer: '/headers/X-Order', code: 'template_not_read' }],
    ]);
    const call = { campaign: 'order', to: 'as.it.is@example.com', message: { headers } };
    expect(await lettermill.send(call)).toMatchObject({ status: 202 });
  });
});
