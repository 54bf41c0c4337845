import { StoreAddressFault, StoreFault, StoreUnavailable } from '../faults';

/** Errors of the driver: no server, no connection, or none in time. */
const UNAVAILABLE_NAMES = new Set([
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoServerSelectionError',
  'MongooseServerSelectionError',
  'MongoNotConnectedError',
  'MongoTopologyClosedError',
  'MongoClientClosedError',
  'MongoPoolClosedError',
  'MongoPoolClearedError',
  'PoolClearedOnNetworkError',
  'MongoWaitQueueTimeoutError',
  'MongoOperationTimeoutError',
  'MongoWriteConcernError',
]);

/**
 * Errors of the server that pass: it shuts down, is no longer or not yet the primary, is out of time or of room, takes
 * no writes for now, or was told to end what it was doing (error_codes.yml).
 */
const TRANSIENT_CODES = new Set<unknown>([
  6, 7, 24, 43, 46, 50, 64, 89, 91, 133, 134, 175, 189, 202, 237, 262, 264, 317, 355, 358, 365, 371, 384, 402, 407, 433,
  449, 9001, 10058, 10107, 11600, 11601, 11602, 13435, 13436, 14031,
]);

const AUTHENTICATION_FAILED = 18;
/** Without `authSource` the driver logs in at the database that the URI names, and most users are made in `admin`. */
const LOGIN_ADVICE = 'MONGODB_URI has the wrong user, password or authSource (the database that the user was made in)';

/**
 * Errors of the server that deny us access: it does not accept our credentials, or allows us nothing (Unauthorized,
 * AuthenticationFailed, ReauthenticationRequired, and Atlas' AtlasError, also when its room is used up). No fault of
 * what was to be stored.
 */
const ACCESS_DENIED_CODES = new Set<unknown>([13, AUTHENTICATION_FAILED, 391, 8000]);

/**
 * Two writes conflicted, and one of them has to be repeated: WriteConflict, and from DocumentDB, which turns the codes
 * of its database server into numbers, SQLSTATE 40001 and 40P01 (a deadlock).
 */
const CONFLICT_CODES = new Set<unknown>([112, 16_777_220, 16_908_292]);

/** DocumentDB, when used in place of MongoDB, reports faults of its own database server only as text. */
const BACKEND_UNAVAILABLE =
  /connect: connection refused|SQLSTATE 57P0|SQLSTATE 08|unexpected EOF|broken pipe|connection reset/;

const DUPLICATE_KEY_CODE = 11000;

export interface MongoError extends Error {
  code?: number | string;
  codeName?: string;
  errorLabels?: string[];
  /** From mongoose: what its schema refused, by path. */
  errors?: Record<string, unknown>;
  path?: string;
  /** From the driver: what it knows of the servers, none of which is suitable. */
  reason?: { setName?: string | null; servers?: ReadonlyMap<string, { error?: Error | null }> };
  /** From Node: the system call that failed. */
  syscall?: string;
  /** From a bulk write that broke off: the driver's original error, which it wraps under another name. */
  errorResponse?: unknown;
  /** From a bulk write: the errors of its operations, by index. */
  writeErrors?: WriteError[] | WriteError;
  result?: { insertedCount: number; matchedCount: number };
}
interface WriteError {
  index: number;
  code: number;
}

const writeErrorsOf = ({ writeErrors = [] }: MongoError): WriteError[] => [writeErrors].flat();

function isTransient(error: MongoError): boolean {
  const { name, code, errorLabels, message } = error;
  if (UNAVAILABLE_NAMES.has(name) || TRANSIENT_CODES.has(code) || ACCESS_DENIED_CODES.has(code) || isConflict(error))
    return true;
  if (errorLabels?.some((label) => label === 'RetryableWriteError' || label === 'RetryableError')) return true;
  return BACKEND_UNAVAILABLE.test(message);
}

/** The driver drops servers that belong to no replica set or to another one, and then reports only that its time is up. */
function wrongReplicaSetHint(reason: MongoError['reason']): string {
  const isEmptySet = reason?.setName && reason.servers?.size === 0;
  return isEmptySet ? `; no server there belongs to the replica set ${reason.setName}` : '';
}

/** The part of an error that may be reported: texts of the server and of a schema quote documents, so only names and codes. */
function reportableText({ name, code, codeName, errors, path, reason, message }: MongoError): string {
  if (errors) return `${name} at ${Object.keys(errors).join(', ')}`;
  if (path !== undefined) return `${name} at ${path}`;
  if (code === undefined) return `${name}: ${message}${wrongReplicaSetHint(reason)}`;
  return codeName === undefined ? `${name} ${code}` : `${name} ${code} ${codeName}`;
}

/** `StoreUnavailable` or `StoreFault` for an error of the driver or of mongoose. */
export function storeFaultOf(error: unknown): Error {
  if (error instanceof StoreUnavailable || error instanceof StoreFault) return error;
  if (!(error instanceof Error)) return new StoreFault(String(error));
  const { errorResponse } = error as MongoError;
  if (errorResponse instanceof Error) return storeFaultOf(errorResponse);
  const told = withoutTakenKeys(error);
  return isTransient(told) ? new StoreUnavailable(reportableText(told)) : new StoreFault(reportableText(told));
}

/** A bulk write has the code of its first error, even if that is a key that was taken, and another one says what went wrong. */
function withoutTakenKeys(error: MongoError): MongoError {
  const { name, message } = error;
  const other = writeErrorsOf(error).find(({ code }) => code !== DUPLICATE_KEY_CODE);
  return other ? { name, message, code: other.code } : error;
}

/** Whether a server accepted the connection and closed it at once: such an error has no cause from the operating system. */
function isClosedImmediately({ reason }: MongoError): boolean {
  return [...(reason?.servers?.values() ?? [])].some(
    ({ error }) => error?.name === 'MongoNetworkError' && error.cause === undefined,
  );
}

/**
 * As `storeFaultOf`, for a connection that is being opened: refused credentials, and an address that the driver cannot
 * parse, are faults of the configuration. A name server that does not answer (`mongodb+srv://`) is `StoreUnavailable`.
 */
export function openingFaultOf(error: unknown, tls = false): Error {
  if (!(error instanceof Error)) return storeFaultOf(error);
  const { code, syscall, message } = error as MongoError;
  if (code === AUTHENTICATION_FAILED) return new StoreFault(`${reportableText(error)}: ${LOGIN_ADVICE}`);
  if (ACCESS_DENIED_CODES.has(code)) return new StoreFault(reportableText(error));
  if (syscall?.startsWith('query')) return new StoreUnavailable(message);
  const fault = storeFaultOf(error);
  if (!tls && isClosedImmediately(error)) {
    return new StoreUnavailable(`${fault.message}; does this port want TLS (tls=true in the URI)?`);
  }
  if (fault instanceof StoreUnavailable || (code !== undefined && syscall === undefined)) return fault;
  return new StoreAddressFault(`can't be used: ${message}`);
}

/** The result, or `StoreUnavailable` (try again later) or `StoreFault` (a defect) in place of the driver's error. */
export async function withStoreFaults<T>(work: PromiseLike<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw storeFaultOf(error);
  }
}

/** A unique key was taken: the answer to a compare-and-set, no fault. */
export function isDuplicateKey(error: unknown): boolean {
  return (error as MongoError).code === DUPLICATE_KEY_CODE;
}

/** Nothing was written, and the same write may be repeated at once. */
export function isConflict(error: unknown): boolean {
  return CONFLICT_CODES.has((error as MongoError).code);
}

/** Indexes of the operations of a bulk write whose unique key was taken; undefined if anything else went wrong in it. */
export function refusedOperationsIn(error: MongoError): Set<number> | undefined {
  const errors = writeErrorsOf(error);
  if (error.name !== 'MongoBulkWriteError' || errors.length === 0) return undefined;
  return errors.every(({ code }) => code === DUPLICATE_KEY_CODE)
    ? new Set(errors.map(({ index }) => index))
    : undefined;
}
