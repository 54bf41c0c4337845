import { LogDamaged } from '../log.faults';
import type { GroupPositions } from './group.positions';
import type { TopicLog } from './topic.log';

type Positions = Pick<GroupPositions, 'groupsOf' | 'cleanEndOf'>;

/** Throws `LogDamaged` unless all is there that a group has read or is yet to read, or that a clean close recorded. */
export function checkAgainstPositions(topic: TopicLog, positions: Positions): void {
  const [first] = topic.segments;
  for (const { group, positions: read } of positions.groupsOf(topic.name)) {
    // Retention removes nothing that a group has yet to read.
    if (first?.header.base.some((base, partition) => base > (read[partition] ?? 0))) {
      throw new LogDamaged(first.path, 0, `a segment before it is missing, which the group ${group} has not read`);
    }
  }
  const seen = positions.groupsOf(topic.name).map((entry) => entry.positions);
  for (const known of [...seen, positions.cleanEndOf(topic.name) ?? []]) {
    if (known.some((position, partition) => position > (topic.nextPositions[partition] ?? 0))) throw endMissing(topic);
  }
}

function endMissing({ segments, options: { name, directory } }: TopicLog): LogDamaged {
  const last = segments.at(-1);
  if (last) return new LogDamaged(last.path, last.end, 'records are missing at its end');
  return new LogDamaged(directory, undefined, `all records of the topic ${name} are missing`);
}
