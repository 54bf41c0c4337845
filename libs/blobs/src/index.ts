export * from './blob.port';
export * from './blob.readings';
export * from './files/files.blobs';
export * from './gridfs/gridfs.blobs';
