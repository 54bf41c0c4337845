export * from './blob.port';
export * from './files/files.blobs';
