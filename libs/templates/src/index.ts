export type { Compiled } from './compile/mjml';
export * from './compile/template.compiler';
export * from './compile/template.faults';
export { RENDER_LIMITS, type RenderLimits } from './liquid/liquid.limits';
export {
  isTemplateFault,
  MAX_TAGS,
  parseTemplate,
  type Parsed,
  type RenderFailure,
  type TemplateData,
  type TemplateFault,
} from './liquid/liquid.template';
export { holdsTag, isMjml, type TemplateKind } from './liquid/tags';
export * from './render/render.job';
export * from './render/render.pool';
