import type { Fault } from '@lettermill/problems';
import { hasTooManyTags, type TemplateFault } from '../liquid.template';
import { mergeTagFaults } from '../misread/merge.tags';
import { missingLinkFaults } from '../misread/unsubscribe.links';
import type { TemplateKind } from '../tags';
import { TemplateCompiler } from './template.compiler';

interface Templates {
  subject?: unknown;
  text?: unknown;
  html?: unknown;
}

const TEMPLATE_KINDS: TemplateKind[] = ['subject', 'text', 'html'];
let sharedInstance: TemplateCompiler | undefined;

/** The compiler that this process shares, created on first use. */
export function sharedCompiler(): TemplateCompiler {
  return (sharedInstance ??= new TemplateCompiler());
}

/** Ends the thread of the shared compiler. A later use starts another one. */
export async function closeSharedCompiler(): Promise<void> {
  const compiler = sharedInstance;
  sharedInstance = undefined;
  await compiler?.close();
}

/**
 * The faults of the templates in an EmailMessageDetails (code `template_invalid`). `pointerBase` is the JSON Pointer of
 * the object that has subject, text and html. Fields that are not strings are skipped; other checks report them.
 */
export function templateFaults(account: string, details: Templates, pointerBase: string): Promise<Fault[]> {
  return eachTemplate(details, pointerBase, (text, kind) => sharedCompiler().check(account, text, kind));
}

/**
 * The same for a campaign, whose templates must not have tags of other systems either, nor show unsubscribe links unless each of its mails
 * has one. These are looked for on this thread, so not in a template with too many tags.
 */
export function launchedTemplateFaults(
  account: string,
  details: Templates,
  hasUnsubscribeLinks: boolean,
): Promise<Fault[]> {
  return eachTemplate(details, '', async (text, kind) => {
    const faults = await sharedCompiler().check(account, text, kind);
    if (hasTooManyTags(text)) return faults;
    const missing = hasUnsubscribeLinks ? [] : missingLinkFaults(text);
    return [...faults, ...mergeTagFaults(text, kind), ...missing];
  });
}

async function eachTemplate(
  details: Templates,
  pointerBase: string,
  check: (text: string, kind: TemplateKind) => Promise<TemplateFault[]>,
): Promise<Fault[]> {
  const perKind = await Promise.all(
    TEMPLATE_KINDS.map(async (kind) => {
      const text = details[kind];
      const faults = typeof text === 'string' ? await check(text, kind) : [];
      return faults.map((fault) => faultEntry(`${pointerBase}/${kind}`, fault));
    }),
  );
  return perKind.flat();
}

function faultEntry(pointer: string, { line, column, detail }: TemplateFault): Fault {
  return { pointer, code: 'template_invalid', detail: `Line ${line}, column ${column}: ${detail}` };
}
