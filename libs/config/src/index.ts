export * from './config';
export { readConfig } from './config.reading';
export { apiKey, minLength, type Reader } from './config.fields';
export * from './control.file';
export * from './first.key.file';
export * from './listening.url';
export * from './public.url';
export * from './smtp.url';
