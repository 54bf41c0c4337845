import { LogFault } from './log.faults';
import type { RecordBatch } from './log.port';

/** The handler of a group or of a follower; batches of a topic come one at a time. */
export type OnBatch = (batch: RecordBatch) => Promise<void>;

/** The groups that read in this process, each at most once per topic. */
export class GroupMemberships {
  private readonly joinedIds = new Set<string>();

  /** Throws `LogFault` (`group_taken`). Returns a function that gives the topics back. */
  join(group: string, topics: string[]): () => void {
    const ids = topics.map((topic) => `${topic}\n${group}`);
    const twice = topics.find((_topic, index) => this.joinedIds.has(ids[index]!) || ids.indexOf(ids[index]!) !== index);
    if (twice !== undefined) throw new LogFault('group_taken', `group ${group} already reads ${twice} in this process`);
    for (const id of ids) this.joinedIds.add(id);
    return () => ids.forEach((id) => this.joinedIds.delete(id));
  }
}
