import type { RenderLimits } from '../liquid.limits';
import type { RenderJob } from './render.job';

/** Jobs packed for the thread: each source once, however many messages use it; the rest as JSON text, which is faster to
 * copy than objects, and keeps keys such as `__proto__`. */
export interface RenderTask {
  sources: string[];
  jobs: string;
  limits: RenderLimits;
}

type PackedJob = Omit<RenderJob, 'subject' | 'text' | 'html'> & { subject?: number; text?: number; html?: number };

export function packJobs(jobs: RenderJob[], limits: RenderLimits): RenderTask {
  const indexes = new Map<string, number>();
  const sourceIndex = (source: string | undefined): number | undefined => {
    if (source === undefined) return undefined;
    if (!indexes.has(source)) indexes.set(source, indexes.size);
    return indexes.get(source);
  };
  const packed = jobs.map(({ subject, text, html, ...input }): PackedJob => {
    return { subject: sourceIndex(subject), text: sourceIndex(text), html: sourceIndex(html), ...input };
  });
  return { sources: [...indexes.keys()], jobs: JSON.stringify(packed), limits };
}

export function unpackJobs({ sources, jobs }: RenderTask): RenderJob[] {
  const source = (index: number | undefined) => (index === undefined ? undefined : sources[index]);
  return (JSON.parse(jobs) as PackedJob[]).map(({ subject, text, html, ...input }) => {
    return { subject: source(subject), text: source(text), html: source(html), ...input };
  });
}
