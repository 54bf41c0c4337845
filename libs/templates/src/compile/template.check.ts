import { isTemplateFault, overLimit, parseTemplate, type TemplateFault } from '../liquid.template';
import { misreadsIn } from '../misread/misreads';
import { holdsTag, type TemplateKind } from '../tags';

/** Whether there may be anything to be said of it. */
export function needsCheck(text: string, kind: TemplateKind): boolean {
  return holdsTag(text) || (kind === 'html' && /%7b%7b/i.test(text));
}

/** What is wrong with one part as a template of Liquid. Only who takes it in asks: what was taken before is still rendered. */
export function checkTemplate(text: string, kind: TemplateKind): TemplateFault[] {
  const over = overLimit(text);
  if (over) return [over];
  const misreads = misreadsIn(text, kind);
  if (misreads.length > 0) return misreads;
  const parsed = parseTemplate(text, kind, true);
  return isTemplateFault(parsed) ? [parsed] : [];
}
