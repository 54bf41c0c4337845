import { serveThread } from '../threads/serve';
import { isOutOfTime, isRenderFailure, type RenderOutcome } from './render.job';
import { MailRenderer } from './render.mail';
import { unpackJobs, type RenderTask } from './render.task';

/** Of bodies that are answered together: a template of a few bytes can make 4 MiB of each of its messages. */
const MOST_CHARACTERS = 8 * 1024 * 1024;

function charactersOf(outcome: RenderOutcome): number {
  return isRenderFailure(outcome) ? 0 : (outcome.text?.length ?? 0) + (outcome.html?.length ?? 0);
}

/**
 * The thread that renders: a template can hang it or eat its memory, and nothing else. Answers the outcomes in order, and
 * fewer than there are messages where they grow large, or where one ran out of time: that is the last of them.
 */
let renderer: MailRenderer | undefined;

serveThread<RenderTask, RenderOutcome[]>((task, at) => {
  const mails = (renderer ??= new MailRenderer(task.limits));
  const outcomes: RenderOutcome[] = [];
  let made = 0;
  for (const [index, job] of unpackJobs(task).entries()) {
    at(index);
    const outcome = mails.render(job, task.limits);
    outcomes.push(outcome);
    // Who asked decides what becomes of the rest: more of the same would hold up all that waits.
    if (isOutOfTime(outcome) || (made += charactersOf(outcome)) >= MOST_CHARACTERS) break;
  }
  return outcomes;
});
