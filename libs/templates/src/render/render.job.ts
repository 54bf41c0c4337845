import type { RenderFailure } from '../liquid.template';
import type { TemplateInput } from '../template.input';

/** One message to render: Liquid sources (MJML already compiled to html) and the data that they see. */
export interface RenderJob extends TemplateInput {
  subject?: string;
  text?: string;
  html?: string;
  /** Ids of the campaign and the account of the message. */
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

/** Whether any of its parts exceeded the time limit. */
export function isOutOfTime(outcome: RenderOutcome): boolean {
  return isRenderFailure(outcome) && outcome.outOfTime === true;
}
