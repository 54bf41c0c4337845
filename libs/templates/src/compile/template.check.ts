import { isTemplateFault, limitFault, parseTemplate, type TemplateFault } from '../liquid.template';
import { misreadsIn } from '../misread/misreads';
import { holdsTag, type TemplateKind } from '../tags';

/** Whether the text can have faults at all. */
export function needsCheck(text: string, kind: TemplateKind): boolean {
  return holdsTag(text) || (kind === 'html' && /%7b%7b/i.test(text));
}

/** What is wrong with one part as a Liquid template. Only new templates are checked; those accepted before are still rendered. */
export function checkTemplate(text: string, kind: TemplateKind): TemplateFault[] {
  const fault = limitFault(text);
  if (fault) return [fault];
  const misreads = misreadsIn(text, kind);
  if (misreads.length > 0) return misreads;
  const parsed = parseTemplate(text, kind, true);
  return isTemplateFault(parsed) ? [parsed] : [];
}
