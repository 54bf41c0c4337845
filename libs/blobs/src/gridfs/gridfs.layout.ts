import type { MongoDriver, MongoMigration } from '@lettermill/storage';

type ObjectId = MongoDriver.ObjectId;

/** The default of GridFS. */
export const CHUNK_BYTES = 255 * 1024;

/** `blobs.files` of GridFS. A file with a `name` is a blob; one without is a draft, or is being removed. */
export interface FileDocument {
  _id: ObjectId;
  filename: string;
  length: number;
  chunkSize: number;
  /** When it was last put. */
  uploadDate: Date;
  metadata: { name?: string; keep?: 'retention' | 'forever'; state: 'draft' | 'kept' | 'gone' };
}

/** `blobs.chunks` of GridFS. */
export interface ChunkDocument {
  _id?: ObjectId;
  files_id: ObjectId;
  n: number;
  data: MongoDriver.Binary;
}

export const FILES_COLLECTION = 'blobs.files';
export const CHUNKS_COLLECTION = 'blobs.chunks';

export const BLOB_MIGRATIONS: MongoMigration[] = [
  {
    name: '1-blobs',
    indexes: {
      [FILES_COLLECTION]: [
        { name: 'filename_1_uploadDate_1', key: { filename: 1, uploadDate: 1 } },
        {
          name: 'blobs_name',
          key: { 'metadata.name': 1 },
          unique: true,
          partialFilterExpression: { 'metadata.name': { $exists: true } },
        },
        { name: 'blobs_age', key: { 'metadata.state': 1, 'metadata.keep': 1, uploadDate: 1 } },
      ],
      [CHUNKS_COLLECTION]: [{ name: 'files_id_1_n_1', key: { files_id: 1, n: 1 }, unique: true }],
    },
  },
];
