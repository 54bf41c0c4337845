import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFile, type OpenFile, type WritableFile } from '../embedded/durable.file';
import { EmbeddedLog } from '../embedded/embedded.log';
import type { EmbeddedLogOptions } from '../embedded/embedded.options';

type Operation = 'writev' | 'datasync' | 'truncate';

/** Files on the real disk whose operations fail when a test says so. */
export class FailingDisk {
  /** The error code with which each operation fails from now on. */
  faults: Partial<Record<Operation, string>> = {};
  /** Bytes that are still written before `writev` fails. */
  room = 0;
  readonly done: Record<Operation, number> = { writev: 0, datasync: 0, truncate: 0 };

  readonly open: OpenFile = async (path, flags) => {
    const file = await openFile(path, flags);
    const guarded = <T>(operation: Operation, run: () => Promise<T>): Promise<T> => {
      const code = this.faults[operation];
      if (code) return Promise.reject(Object.assign(new Error(`injected ${code}`), { code }));
      this.done[operation] += 1;
      return run();
    };
    return {
      writev: async (buffers: Buffer[], position: number) => {
        if (this.faults.writev && this.room > 0) {
          await file.writev([Buffer.concat(buffers).subarray(0, this.room)], position);
        }
        return guarded('writev', () => file.writev(buffers, position));
      },
      datasync: () => guarded('datasync', () => file.datasync()),
      truncate: (length: number) => guarded('truncate', () => file.truncate(length)),
      close: () => file.close(),
    } as WritableFile;
  };
}

/** Directories and logs of one test, closed and removed after it. */
export class LogWorkspace {
  readonly fatal: Error[] = [];
  directory = '';
  private readonly logs: EmbeddedLog[] = [];

  async begin(): Promise<void> {
    this.fatal.length = 0;
    this.directory = await mkdtemp(join(tmpdir(), 'lettermill-log-'));
  }

  async end(): Promise<void> {
    await Promise.all(this.logs.splice(0).map((log) => log.close().catch(() => undefined)));
    await rm(this.directory, { recursive: true, force: true });
  }

  async open(options: Partial<EmbeddedLogOptions> = {}): Promise<EmbeddedLog> {
    const log = await EmbeddedLog.open({
      directory: this.directory,
      retention: { days: 0, keepWhole: [] },
      onFatal: (error) => void this.fatal.push(error),
      ...options,
    });
    this.logs.push(log);
    return log;
  }

  topicFile(topic: string, number = 1): string {
    return join(this.directory, 'topics', topic, `${String(number).padStart(16, '0')}.seg`);
  }
}
