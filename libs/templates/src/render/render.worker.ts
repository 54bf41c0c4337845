import { serveThread } from '../threads/serve';
import { isOutOfTime, type RenderOutcome } from './render.job';
import { MailRenderer } from './render.mail';
import { unpackJobs, type RenderTask } from './render.task';

/**
 * The thread that renders: a template can hang it or eat its memory, and nothing else. Answers the outcomes in order, and
 * fewer than there are messages where one ran out of time: that is the last of them.
 */
let renderer: MailRenderer | undefined;

serveThread<RenderTask, RenderOutcome[]>((task, at) => {
  const mails = (renderer ??= new MailRenderer(task.limits));
  const outcomes: RenderOutcome[] = [];
  for (const [index, job] of unpackJobs(task).entries()) {
    at(index);
    const outcome = mails.render(job, task.limits);
    outcomes.push(outcome);
    // Who asked decides what becomes of the rest: more of the same would hold up all that waits.
    if (isOutOfTime(outcome)) break;
  }
  return outcomes;
});
