import { pause, waitAtMost } from '@lettermill/concurrency';
import type { InnerCluster } from 'kafkajs/src/cluster/index.js';
import type { LogLines } from '../log.lines';
import type { KafkaFault } from './kafka.client';
import type { KafkaSettings } from './kafka.options';

/** Former members that are not removed by then are removed by the brokers, when their sessions are over. */
const LEAVE_TIMEOUT_MS = 5_000;
const RETRY_DELAY_MS = 200;

export interface KnownMember {
  memberId: string;
  /** As the member gave it when it joined. */
  clientId: string;
}

type MemberNames = Pick<KafkaSettings, 'clientId' | 'instance' | 'place'>;

/** Chooses the members that have to leave a group, by id. */
export type MemberChoice = (members: KnownMember[]) => string[];

const idsOfMembers = (members: KnownMember[], isFormer: (clientId: string) => boolean): string[] =>
  members.filter(({ clientId }) => isFormer(clientId)).map(({ memberId }) => memberId);

/** The members that an earlier process left behind at this place; never those of this process. */
export function formerMemberIds(members: KnownMember[], { clientId, instance, place }: MemberNames): string[] {
  if (place === undefined) return [];
  const own = `${clientId}-${instance}-`;
  const here = `${clientId}-${place}-`;
  return idsOfMembers(
    members,
    (name) => name.startsWith(here) && !name.startsWith(own) && /^[0-9a-f]{8}-/.test(name.slice(here.length)),
  );
}

/** Chooses predecessors of this very member: when it was replaced, they had no broker from which to leave. */
export const membersNamed =
  (clientId: string): MemberChoice =>
  (members) =>
    idsOfMembers(members, (name) => name === clientId);

/**
 * Removes former members from their groups. A member that was killed, or lost the brokers, cannot leave, and nobody
 * reads its partitions until its session is over. If this does not succeed in time, the new member joins all the same,
 * and waits; from then on nobody is removed, as the name may be that of the new member.
 */
export async function removeMembers(
  cluster: InnerCluster,
  groupIds: string[],
  choose: MemberChoice,
  lines: LogLines,
): Promise<void> {
  let isTimeUp = false;
  let ended = false;
  const removeFrom = async (groupId: string) => {
    const coordinator = await cluster.findGroupCoordinator({ groupId });
    const { groups } = await coordinator.describeGroups({ groupIds: [groupId] });
    for (const memberId of choose(groups[0]?.members ?? [])) {
      if (isTimeUp) return;
      await coordinator.leaveGroup({ groupId, memberId });
      lines.info({ group: groupId }, 'a former member was removed from its group');
    }
  };
  const isOver = () => isTimeUp;
  const removing = cluster
    .connect()
    .then(() => Promise.all(groupIds.map((groupId) => retryUntil(() => removeFrom(groupId), isOver))))
    .finally(() => (ended = true));
  await waitAtMost(LEAVE_TIMEOUT_MS, removing);
  isTimeUp = true;
  await waitAtMost(LEAVE_TIMEOUT_MS, cluster.disconnect());
  // Requests that are still in progress open connections again.
  const disconnect = () => cluster.disconnect().catch(() => {});
  if (!ended) removing.then(disconnect, disconnect);
}

/** Retries, as brokers that have just started know of a group only after a moment. */
async function retryUntil(action: () => Promise<void>, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    try {
      return await action();
    } catch (error) {
      if (!(error as KafkaFault).retriable) return;
      await pause(RETRY_DELAY_MS);
    }
  }
}
