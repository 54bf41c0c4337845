/** What a service stands on, by name: each answers, or rejects when it can't be used. */
export type Probes = Record<string, () => Promise<void>>;

export const PROBES = Symbol('Probes');
