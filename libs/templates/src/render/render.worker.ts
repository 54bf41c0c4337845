import { serveThread } from '../threads/serve';
import type { RenderOutcome } from './render.job';
import { MailRenderer } from './render.mail';
import { unpackJobs, type RenderTask } from './render.task';

/** The thread that renders: a template can hang it or eat its memory, and nothing else. */
let renderer: MailRenderer | undefined;

serveThread<RenderTask, RenderOutcome[]>((task, at) => {
  const mails = (renderer ??= new MailRenderer(task.limits));
  return unpackJobs(task).map((job, index) => {
    at(index);
    return mails.render(job);
  });
});
