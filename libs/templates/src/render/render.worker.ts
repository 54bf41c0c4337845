import { serveThread } from '../threads/serve';
import { isOutOfTime, isRenderFailure, type RenderOutcome } from './render.job';
import { MailRenderer } from './render.mail';
import { unpackJobs, type RenderTask } from './render.task';

/** Limit of the bodies that are answered together: a template of a few bytes can make 4 MiB for each of its messages. */
const MAX_ANSWER_CHARACTERS = 8 * 1024 * 1024;
/** After this time the messages of others that wait get their turn, such as a one-time code behind costly newsletters. */
const MAX_TURN_MS = 100;

function charactersOf(outcome: RenderOutcome): number {
  return isRenderFailure(outcome) ? 0 : (outcome.text?.length ?? 0) + (outcome.html?.length ?? 0);
}

/**
 * The thread that renders: a template can hang it or use up its memory, but nothing else. It answers with outcomes in order. They are
 * fewer than the messages if they grow large or take long, or if one ran out of time, which is then the last.
 */
let renderer: MailRenderer | undefined;

serveThread<RenderTask, RenderOutcome[]>((task, reportStep) => {
  const mailRenderer = (renderer ??= new MailRenderer(task.limits));
  const outcomes: RenderOutcome[] = [];
  let characters = 0;
  const jobs = unpackJobs(task);
  const turnEnds = performance.now() + MAX_TURN_MS;
  for (const [index, job] of jobs.entries()) {
    reportStep(index);
    const outcome = mailRenderer.render(job, task.limits);
    outcomes.push(outcome);
    characters += charactersOf(outcome);
    // The caller decides about the rest: more messages of the same template would delay all that wait.
    if (isOutOfTime(outcome) || characters >= MAX_ANSWER_CHARACTERS || performance.now() >= turnEnds) break;
  }
  return outcomes;
});
