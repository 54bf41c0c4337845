export * from './blob.port';
export * from './files/files.blobs';
export * from './gridfs/gridfs.blobs';
