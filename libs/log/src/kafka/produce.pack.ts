import { bytesOf } from '../log.appends';
import type { NewRecord } from '../log.port';

/** Bytes that a record takes in a batch besides its key, value and headers; and those of a header and of a batch, generously. */
const RECORD_OVERHEAD_BYTES = 40;
const HEADER_OVERHEAD_BYTES = 8;
const BATCH_OVERHEAD_BYTES = 200;

/** A record with its place and its size on the wire (an upper bound). */
export interface Placed {
  record: NewRecord;
  partition: number;
  bytes: number;
}

/** The records of one call of `append` that go to one topic. */
export interface Append {
  records: Placed[];
  bytes: number;
}

export interface PackLimits {
  /** Bytes of one partition in one request. */
  batchBytes: number;
  requestBytes: number;
}

/** One produce request, and which of the appends are on the log once it is acknowledged. */
export interface ProduceRequest {
  records: Placed[];
  /** How many of the appends are whole after this request, counted from the first. */
  completes: number;
}

/** An upper bound of the bytes of a record in a batch. */
export function wireBytes({ key, value, headers }: NewRecord): number {
  let bytes = RECORD_OVERHEAD_BYTES + key.length * 3 + bytesOf(value);
  for (const name in headers) bytes += HEADER_OVERHEAD_BYTES + (name.length + headers[name]!.length) * 3;
  return bytes;
}

/** As few requests as the limits allow, in order. A record over the limit has a request of its own. */
export function packRequests(appends: Append[], { batchBytes, requestBytes }: PackLimits): ProduceRequest[] {
  const requests: ProduceRequest[] = [];
  const perPartition = new Map<number, number>();
  let records: Placed[] = [];
  let bytes = 0;
  const closeRequest = (completes: number) => {
    if (records.length > 0) requests.push({ records, completes });
    records = [];
    bytes = 0;
    perPartition.clear();
  };
  appends.forEach((append, index) => {
    for (const placed of append.records) {
      const inPartition = perPartition.get(placed.partition) ?? BATCH_OVERHEAD_BYTES;
      if (inPartition + placed.bytes > batchBytes || bytes + placed.bytes > requestBytes) closeRequest(index);
      records.push(placed);
      bytes += placed.bytes;
      perPartition.set(placed.partition, (perPartition.get(placed.partition) ?? BATCH_OVERHEAD_BYTES) + placed.bytes);
    }
  });
  closeRequest(appends.length);
  return requests;
}
