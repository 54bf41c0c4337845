/** A port of 127.0.0.1 where nobody listens, told once, that nobody is given by chance. */
export function freePort(): Promise<number>;

/** Whether a server could listen there on 127.0.0.1 now. */
export function isFree(port: number): Promise<boolean>;
