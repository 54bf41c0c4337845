export * from './config';
export { apiKey, minLength, type Reader } from './config.fields';
export * from './control.file';
export * from './first.key.file';
export * from './public.url';
export * from './smtp.url';
