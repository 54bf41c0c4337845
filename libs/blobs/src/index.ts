export * from './blob.port';
export * from './blob.cache';
export * from './files/files.blobs';
export * from './gridfs/gridfs.blobs';
