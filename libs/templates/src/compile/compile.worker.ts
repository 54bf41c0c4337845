import type { TemplateKind } from '../tags';
import { serveThread } from '../threads/serve';
import { compileMjml, type Compiled, type Mjml } from './mjml.compile';
import { checkTemplate } from './template.check';

export type CompileTask = { mjml: string } | { liquid: string; kind: TemplateKind };

/** The thread that compiles. MJML takes half a second to load, and tens of milliseconds for each document. */
serveThread<CompileTask, Compiled>(async (task, reportStep) => {
  if ('liquid' in task) {
    reportStep(0);
    return { faults: checkTemplate(task.liquid, task.kind) };
  }
  const { default: mjml } = (await import('mjml')) as unknown as { default: Mjml };
  reportStep(0);
  return compileMjml(mjml, task.mjml);
});
