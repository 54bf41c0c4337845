export * from './compile/template.compiler';
export * from './compile/template.faults';
export { isMjml } from './tags';
export type { TemplateData } from './template.input';
export * from './render/render.job';
export * from './render/render.pool';
