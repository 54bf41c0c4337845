export * from './blob.port';
