import { within } from '@lettermill/concurrency';
import type { InnerCluster } from 'kafkajs/src/cluster/index.js';
import type { LogLines } from '../log.lines';
import type { KafkaSettings } from './kafka.options';

/** What is not done by then the brokers do, when the sessions are over. */
const PATIENCE_MS = 5_000;

export interface KnownMember {
  memberId: string;
  /** As the member told it when it joined. */
  clientId: string;
}

type Names = Pick<KafkaSettings, 'clientId' | 'instance' | 'place'>;

/** Which members a process that is no more has left behind at this place; never those of this process. */
export function formerMembers(members: KnownMember[], { clientId, instance, place }: Names): string[] {
  if (place === undefined) return [];
  const own = `${clientId}-${instance}-`;
  const here = `${clientId}-${place}-`;
  const isFormer = (name: string) =>
    name.startsWith(here) && !name.startsWith(own) && /^[0-9a-f]{8}-/.test(name.slice(here.length));
  return members.filter((member) => isFormer(member.clientId)).map(({ memberId }) => memberId);
}

/**
 * Takes the former members out of their groups. A process that was killed can't leave; until its session is over its
 * partitions would be nobody's. Where it does not work the process joins all the same, and waits.
 */
export async function leaveForFormer(
  cluster: InnerCluster,
  groupIds: string[],
  names: Names,
  lines: LogLines,
): Promise<void> {
  const leaveIn = async (groupId: string) => {
    const coordinator = await cluster.findGroupCoordinator({ groupId });
    const { groups } = await coordinator.describeGroups({ groupIds: [groupId] });
    for (const memberId of formerMembers(groups[0]?.members ?? [], names)) {
      await coordinator.leaveGroup({ groupId, memberId });
      lines.info({ group: groupId }, 'a member that this place had before was taken out of its group');
    }
  };
  const leaving = cluster
    .connect()
    .then(() => Promise.all(groupIds.map((groupId) => leaveIn(groupId).catch(() => {}))));
  await within(PATIENCE_MS, leaving);
  await within(PATIENCE_MS, cluster.disconnect());
}
