export type { Compiled } from './compile/mjml.compile';
export * from './compile/template.compiler';
export * from './compile/template.faults';
export { RENDER_LIMITS, type RenderLimits } from './liquid.limits';
export {
  isTemplateFault,
  MAX_TAGS,
  parseTemplate,
  type Parsed,
  type RenderFailure,
  type TemplateFault,
} from './liquid.template';
export { holdsTag, isMjml, type TemplateKind } from './tags';
export type { TemplateData } from './template.input';
export * from './render/render.job';
export * from './render/render.pool';
