/** Threads of libuv's pool, as Node reads them. */
const THREADS = Number(process.env.UV_THREADPOOL_SIZE) || 4;

/** Signatures that are made at a time: one thread of the pool stays free for files and names. */
export const SIGNING_SLOTS = Math.max(1, THREADS - 1);
