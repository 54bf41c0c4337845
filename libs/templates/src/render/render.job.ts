import type { RenderFailure } from '../liquid.template';
import type { TemplateInput } from '../template.input';

/** One message to be rendered: Liquid sources (html as compiled, where it was MJML) and what they see. */
export interface RenderJob extends TemplateInput {
  subject?: string;
  text?: string;
  html?: string;
  /** Whose message it is: its id. */
  campaign?: string;
  account?: string;
}

export interface Rendered {
  subject: string;
  text?: string;
  html?: string;
}

export type RenderOutcome = Rendered | RenderFailure;

export function isRenderFailure(outcome: RenderOutcome): outcome is RenderFailure {
  return 'code' in outcome;
}

/** Whether it failed for want of time, whichever of its parts. */
export function isOutOfTime(outcome: RenderOutcome): boolean {
  return isRenderFailure(outcome) && outcome.outOfTime === true;
}
