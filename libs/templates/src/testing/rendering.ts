import { RENDER_LIMITS, RenderBudget } from '../liquid.limits';
import { isTemplateFault, parseTemplate, renderFailure, renderTemplate } from '../liquid.template';
import type { TemplateKind } from '../tags';

export const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);

export function data(profile: object) {
  return { profile, contact: { email: 'c@x.test' }, campaign: { slug: 'welcome' }, message: { id: 'm1' } };
}

/** The text that a template renders to; throws what stops it. */
export function render(source: string, profile: object = {}, kind: TemplateKind = 'text', strict = false): string {
  const parsed = parseTemplate(source, kind);
  if (isTemplateFault(parsed)) throw new Error(parsed.detail);
  const input = { data: data(profile), now: NOW, strict };
  return renderTemplate(parsed, input, new RenderBudget(RENDER_LIMITS, performance.now()));
}

/** Why a rendering fails; the beginning of its text if it does not. */
export function failure(source: string, profile: object = {}, strict = false, kind: TemplateKind = 'text') {
  try {
    return render(source, profile, kind, strict).slice(0, 100);
  } catch (error) {
    return renderFailure(error, kind);
  }
}
