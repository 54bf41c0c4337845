import { hash } from 'node:crypto';
import { workerFile } from '@lettermill/concurrency';
import { LRUCache } from 'lru-cache';
import type { TemplateFault } from '../liquid.template';
import { isMjml, lateMjmlAt, positionOf, surveyTags, type TemplateKind } from '../tags';
import { ThreadStopped, WorkThread } from '../threads/work.thread';
import type { CompileTask } from './compile.worker';
import type { Compiled } from './mjml.compile';
import { checkTemplate, needsCheck } from './template.check';

/** Characters inside tags that are parsed here in one turn of the event loop, which takes about a millisecond; more
 * go to the thread. */
const MAX_TURN_WEIGHT = 1024;
/** So many characters outside tags take as long to parse as one inside a tag. */
const PLAIN_CHARACTERS_PER_WEIGHT = 16;
const CACHE_CHARACTERS = 32 * 1024 * 1024;
/** What a cached check takes besides its result, and each fault of that. */
const ENTRY_CHARACTERS = 1024;
const FAULT_CHARACTERS = 256;
/** A megabyte of MJML takes seconds. What takes longer than this is refused, before the gateway stops waiting for this service (10 s). */
const STEP_TIMEOUT_MS = 6_000;
const START_TIMEOUT_MS = 30_000;
const IDLE_TIMEOUT_MS = 60_000;
/** The gateway waits so long for this service: whoever asked before that has been answered. In characters: each keeps a whole request. */
const WAITING_LIMITS = { maxWaitMs: 10_000, maxAccountWeight: 16 * 1024 * 1024 };
const MAX_HEAP_MB = 384;
const LATE_MJML_DETAIL = 'MJML must begin with <mjml: move what is before it inside, and Liquid tags into <mj-raw>';

/** Checks templates and compiles MJML. The costly part runs in a thread, which ends when it is not needed. */
export class TemplateCompiler {
  private readonly thread: WorkThread<CompileTask, Compiled>;
  private readonly cache = new LRUCache<string, Promise<Compiled>>({ maxSize: CACHE_CHARACTERS });
  private turnWeight = 0;

  constructor() {
    const file = workerFile(__dirname, 'compile.worker');
    this.thread = new WorkThread({
      file,
      stepMs: STEP_TIMEOUT_MS,
      startMs: START_TIMEOUT_MS,
      heapMb: MAX_HEAP_MB,
      idleMs: IDLE_TIMEOUT_MS,
      waiting: WAITING_LIMITS,
    });
  }

  /** All faults of one part as it was sent, including those of MJML; empty if it can be rendered. */
  async check(account: string, text: string, kind: TemplateKind): Promise<TemplateFault[]> {
    const late = kind === 'html' ? lateMjmlAt(text) : -1;
    if (late >= 0) return [{ ...positionOf(text, late), detail: LATE_MJML_DETAIL }];
    const faults = await this.liquidFaults(account, text, kind);
    if (faults.length > 0 || kind !== 'html' || !isMjml(text)) return faults;
    const compiled = await this.compile(account, text);
    return 'faults' in compiled ? compiled.faults : [];
  }

  private async liquidFaults(account: string, text: string, kind: TemplateKind): Promise<TemplateFault[]> {
    if (!needsCheck(text, kind)) return [];
    const task = { liquid: text, kind };
    const key = keyOf(task);
    if (!this.cache.has(key) && this.mayParseHere(text)) {
      this.keep(key, { faults: checkTemplate(text, kind) });
    }
    const checked = await this.runOnce(account, key, task);
    return 'faults' in checked ? checked.faults : [];
  }

  /** Html from an MJML source, or its faults. */
  compile(account: string, mjml: string): Promise<Compiled> {
    const task = { mjml };
    return this.runOnce(account, keyOf(task), task);
  }

  close(): Promise<void> {
    return this.thread.close();
  }

  /** Callers that ask for the same text at the same time share one task. */
  private runOnce(account: string, key: string, task: CompileTask): Promise<Compiled> {
    const known = this.cache.get(key);
    if (known) return known;
    const compiled = this.run(account, key, task);
    this.cache.set(key, compiled, { size: ENTRY_CHARACTERS });
    return compiled;
  }

  private keep(key: string, compiled: Compiled): void {
    const size = 'html' in compiled ? compiled.html.length : compiled.faults.length * FAULT_CHARACTERS;
    this.cache.set(key, Promise.resolve(compiled), { size: ENTRY_CHARACTERS + size });
  }

  private mayParseHere(text: string): boolean {
    const { tags, weight } = surveyTags(text);
    if (this.turnWeight === 0) setImmediate(() => (this.turnWeight = 0));
    this.turnWeight += weight + tags + text.length / PLAIN_CHARACTERS_PER_WEIGHT;
    return this.turnWeight <= MAX_TURN_WEIGHT;
  }

  /** A task that is given up is not kept: another try may succeed, for example on a less busy machine. */
  private async run(account: string, key: string, task: CompileTask): Promise<Compiled> {
    try {
      // Some tasks take a moment, others seconds. The weight keeps small ones from waiting for large ones.
      const weight = ('mjml' in task ? task.mjml : task.liquid).length;
      const compiled = await this.thread.run(task, weight, account);
      this.keep(key, compiled);
      return compiled;
    } catch (error) {
      this.cache.delete(key);
      if (!(error instanceof ThreadStopped) || error.step < 0 || error.why === 'exit') throw error;
      const why = error.why === 'time' ? `takes longer than ${STEP_TIMEOUT_MS / 1000} s` : 'takes too much memory';
      return { faults: [{ line: 1, column: 1, detail: `compiling it ${why}` }] };
    }
  }
}

/** A hash, so that the cache does not keep the texts. */
function keyOf(task: CompileTask): string {
  const [kind, text] = 'mjml' in task ? ['mjml', task.mjml] : [task.kind, task.liquid];
  return `${kind} ${hash('sha256', text, 'base64')}`;
}
