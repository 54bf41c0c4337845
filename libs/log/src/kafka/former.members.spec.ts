import type { InnerCluster } from 'kafkajs/src/cluster/index.js';
import { SILENT_LOGGER } from '../log.lines';
import { formerMemberIds, removeMembers, membersNamed } from './former.members';

const names = { clientId: 'lettermill-contacts', place: 'contacts-a-3001', instance: 'contacts-a-3001-00000002' };
const member = (clientId: string) => ({ clientId, memberId: `id of ${clientId}` });

describe('members of a dead process', () => {
  it('are those of the same place and another instance', () => {
    const former = member('lettermill-contacts-contacts-a-3001-00000001-contacts.message-requested');
    const own = member('lettermill-contacts-contacts-a-3001-00000002-contacts.message-requested');
    expect(formerMemberIds([own, former], names)).toEqual([former.memberId]);
  });

  it.each([
    'lettermill-contacts-contacts-b-3001-00000001-contacts.message-requested',
    'lettermill-contacts-contacts-a-3002-00000001-contacts.message-requested',
    'lettermill-contacts-contacts-a-30011-00000001-contacts.message-requested',
    // A host whose name begins with that of this place.
    'lettermill-contacts-contacts-a-3001-b-3001-00000001-contacts.message-requested',
    'another-contacts-a-3001-00000001-contacts.message-requested',
    'lettermill-contacts-contacts-a-3001',
    '',
  ])('do not include those of others: %s', (clientId) => {
    expect(formerMemberIds([member(clientId)], names)).toEqual([]);
  });

  it('are none when the place has no name', () => {
    const former = member('lettermill-contacts-contacts-a-3001-00000001-x');
    expect(formerMemberIds([former], { ...names, place: undefined })).toEqual([]);
  });
});

it('a predecessor of a member has the whole name of it', () => {
  const [same, longer] = [member('a-contacts.t'), member('a-contacts.t-high')];
  expect(membersNamed('a-contacts.t')([longer, same])).toEqual([same.memberId]);
});

describe('removing former members from groups', () => {
  const own = 'lettermill-contacts-x-contacts.t';

  /** Records calls in order; the connection is made and the group found when `connected` and `found` resolve. */
  function clusterOf({ connected = Promise.resolve(), found = Promise.resolve() } = {}) {
    const calls: string[] = [];
    const coordinator = {
      describeGroups: ({ groupIds }: { groupIds: string[] }) =>
        found.then(() => ({ groups: groupIds.map(() => ({ members: [member(own), member('another')] })) })),
      leaveGroup: ({ groupId, memberId }: { groupId: string; memberId: string }) =>
        Promise.resolve(void calls.push(`${memberId} leaves ${groupId}`)),
    };
    const cluster = {
      connect: () => connected,
      disconnect: () => Promise.resolve(void calls.push('disconnect')),
      findGroupCoordinator: ({ groupId }: { groupId: string }) =>
        groupId ? Promise.resolve(coordinator) : Promise.reject(new Error('no group')),
    };
    return { calls, cluster: cluster as unknown as InnerCluster };
  }

  it('removes the chosen members from each group, and disconnects', async () => {
    const { calls, cluster } = clusterOf();
    await removeMembers(cluster, ['g', 'h'], membersNamed(own), SILENT_LOGGER);
    expect(calls).toEqual([`id of ${own} leaves g`, `id of ${own} leaves h`, 'disconnect']);
  });

  it.each(['connected', 'found'])(
    "removes nobody after its time limit, when the name may be a new member's, and disconnects: %s late",
    async (what) => {
      jest.useFakeTimers();
      try {
        let come = () => {};
        const { calls, cluster } = clusterOf({ [what]: new Promise<void>((resolve) => (come = resolve)) });
        const leaving = removeMembers(cluster, ['g'], membersNamed(own), SILENT_LOGGER);
        await jest.advanceTimersByTimeAsync(10_000);
        await leaving;
        come();
        await jest.advanceTimersByTimeAsync(10_000);
        expect(calls).toEqual(['disconnect', 'disconnect']);
      } finally {
        jest.useRealTimers();
      }
    },
  );

  it('ends even if the connection cannot be closed: the new member has to join', async () => {
    jest.useFakeTimers();
    try {
      const { calls, cluster } = clusterOf();
      jest.spyOn(cluster, 'disconnect').mockReturnValue(new Promise(() => {}));
      const leaving = removeMembers(cluster, ['g'], membersNamed(own), SILENT_LOGGER);
      await jest.advanceTimersByTimeAsync(10_000);
      await leaving;
      expect(calls).toEqual([`id of ${own} leaves g`]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('retries for a limited time while the brokers do not know the group yet', async () => {
    jest.useFakeTimers();
    try {
      const { cluster } = clusterOf();
      const unknown = Object.assign(new Error('loading'), { retriable: true });
      const asked = jest.spyOn(cluster, 'findGroupCoordinator').mockRejectedValue(unknown);
      const leaving = removeMembers(cluster, ['g'], membersNamed(own), SILENT_LOGGER);
      await jest.advanceTimersByTimeAsync(60_000);
      await leaving;
      expect(asked.mock.calls.length).toBeGreaterThan(1);
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });
});
