import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { LogFailed } from '../log.port';
import type { LogLines } from '../log.lines';
import { LogFault } from '../log.faults';
import { makeDirectory } from './durable.file';
import type { GroupPositions } from './group.positions';
import { checkAgainstPositions } from './topic.check';
import { TopicLog, type TopicOptions } from './topic.log';
import { TopicWriter, type WriterOptions } from './topic.writer';

/** Safe as the name of a folder on every system. */
const TOPIC_NAME = /^[a-z0-9][a-z0-9._-]{0,199}$/;

export interface Topic {
  log: TopicLog;
  writer: TopicWriter;
}

export interface TopicsOptions extends Omit<TopicOptions, 'name'>, WriterOptions {
  positions: GroupPositions;
  lines: LogLines;
}

/** Every topic of a log, one folder each, created on first use. */
export class Topics {
  private readonly opened = new Map<string, Promise<Topic>>();
  private failure: LogFailed | undefined;

  private constructor(private readonly options: TopicsOptions) {}

  /** Opens all existing topics, and those that the positions know: one whose folder was lost is damaged. Rejects with `LogDamaged`. */
  static async open(options: TopicsOptions): Promise<Topics> {
    const topics = new Topics(options);
    await makeDirectory(options.directory);
    const entries = await readdir(options.directory, { withFileTypes: true });
    const found = entries.filter((entry) => entry.isDirectory() && TOPIC_NAME.test(entry.name)).map(({ name }) => name);
    try {
      for (const name of new Set([...found, ...options.positions.topicNames()])) await topics.get(name);
      return topics;
    } catch (error) {
      await topics.close();
      throw error;
    }
  }

  has(name: string): boolean {
    return this.opened.has(name);
  }

  /** The topic, created if it does not exist. Calls for one name resolve in the order in which they were made. */
  get(name: string): Promise<Topic> {
    const found = this.opened.get(name);
    if (found) return found;
    const opening = this.openTopic(name);
    this.opened.set(name, opening);
    opening.catch((error: unknown) => {
      this.opened.delete(name);
      if (error instanceof LogFailed) this.options.onFailed(error);
    });
    return opening;
  }

  /** Waits for appends in progress. */
  async close(): Promise<void> {
    await Promise.all((await this.all()).map(({ writer }) => writer.close()));
  }

  async all(): Promise<Topic[]> {
    const settled = await Promise.allSettled(this.opened.values());
    return settled.filter((one) => one.status === 'fulfilled').map(({ value }) => value);
  }

  /** Makes every writer refuse appends from now on. */
  async fail(error: LogFailed): Promise<void> {
    this.failure = error;
    for (const { writer } of await this.all()) writer.fail(error);
  }

  private async openTopic(name: string): Promise<Topic> {
    if (!TOPIC_NAME.test(name)) throw new LogFault('topic_name_refused', `a topic can not have the name «${name}»`);
    const { directory, positions } = this.options;
    const log = await TopicLog.open({ ...this.options, name, directory: join(directory, name) }, (topic) =>
      checkAgainstPositions(topic, positions),
    );
    if (log.discardedBytes > 0) {
      const fields = { topic: name, file: log.lastSegment.path, bytes: log.discardedBytes };
      this.options.lines.warn(
        fields,
        'an unfinished write at the end of the log was cut off; it was never acknowledged',
      );
    }
    const writer = await TopicWriter.open(log, this.options);
    if (this.failure) writer.fail(this.failure);
    return { log, writer };
  }
}
