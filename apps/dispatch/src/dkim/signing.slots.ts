/** Threads of libuv's pool, as Node reads them. */
const POOL_THREADS = Number(process.env.UV_THREADPOOL_SIZE) || 4;

/** Signatures made at the same time: one thread of the pool stays free for files and name lookups. */
export const SIGNING_SLOTS = Math.max(1, POOL_THREADS - 1);
