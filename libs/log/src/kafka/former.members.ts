import { pause, within } from '@lettermill/concurrency';
import type { InnerCluster } from 'kafkajs/src/cluster/index.js';
import type { LogLines } from '../log.lines';
import type { KafkaFault } from './kafka.client';
import type { KafkaSettings } from './kafka.options';

/** What is not done by then the brokers do, when the sessions are over. */
const PATIENCE_MS = 5_000;
const AGAIN_MS = 200;

export interface KnownMember {
  memberId: string;
  /** As the member told it when it joined. */
  clientId: string;
}

type Names = Pick<KafkaSettings, 'clientId' | 'instance' | 'place'>;

/** Chooses who has to leave a group. */
export type Choice = (members: KnownMember[]) => string[];

const choose = (members: KnownMember[], isFormer: (clientId: string) => boolean): string[] =>
  members.filter(({ clientId }) => isFormer(clientId)).map(({ memberId }) => memberId);

/** Which members a process that is no more has left behind at this place; never those of this process. */
export function formerMembers(members: KnownMember[], { clientId, instance, place }: Names): string[] {
  if (place === undefined) return [];
  const own = `${clientId}-${instance}-`;
  const here = `${clientId}-${place}-`;
  return choose(
    members,
    (name) => name.startsWith(here) && !name.startsWith(own) && /^[0-9a-f]{8}-/.test(name.slice(here.length)),
  );
}

/** Those that were this very member before it was made anew, and had no broker to say that they leave. */
export const namesakes =
  (clientId: string): Choice =>
  (members) =>
    choose(members, (name) => name === clientId);

/**
 * Takes former members out of their groups. Who was killed, or lost the brokers, can't leave; until the session is over the
 * partitions would be nobody's. Where it does not work in time who comes after joins all the same, and waits: from then on nobody is taken
 * out any more, as the name may be that of the one who joined.
 */
export async function leaveFor(
  cluster: InnerCluster,
  groupIds: string[],
  former: Choice,
  lines: LogLines,
): Promise<void> {
  let over = false;
  let ended = false;
  const leaveIn = async (groupId: string) => {
    const coordinator = await cluster.findGroupCoordinator({ groupId });
    const { groups } = await coordinator.describeGroups({ groupIds: [groupId] });
    for (const memberId of former(groups[0]?.members ?? [])) {
      if (over) return;
      await coordinator.leaveGroup({ groupId, memberId });
      lines.info({ group: groupId }, 'a former member was removed from its group');
    }
  };
  const isOver = () => over;
  const leaving = cluster
    .connect()
    .then(() => Promise.all(groupIds.map((groupId) => insist(() => leaveIn(groupId), isOver))))
    .finally(() => (ended = true));
  await within(PATIENCE_MS, leaving);
  over = true;
  await within(PATIENCE_MS, cluster.disconnect());
  // What is still under way opens connections again.
  const leave = () => cluster.disconnect().catch(() => {});
  if (!ended) leaving.then(leave, leave);
}

/** Brokers that have just started know of a group after a moment. */
async function insist(action: () => Promise<void>, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    try {
      return await action();
    } catch (error) {
      if (!(error as KafkaFault).retriable) return;
      await pause(AGAIN_MS);
    }
  }
}
