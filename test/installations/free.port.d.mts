/** A free port of 127.0.0.1, returned once, that the system does not assign to others. */
export function freePort(): Promise<number>;

/** Whether a server could listen on this port of 127.0.0.1 now. */
export function isFree(port: number): Promise<boolean>;
