import { formerMembers } from './former.members';

const names = { clientId: 'lettermill-contacts', place: 'contacts-a-3001', instance: 'contacts-a-3001-00000002' };
const member = (clientId: string) => ({ clientId, memberId: `id of ${clientId}` });

describe('members of a process that is no more', () => {
  it('are those of the same place and another life', () => {
    const former = member('lettermill-contacts-contacts-a-3001-00000001-contacts.message-requested');
    const own = member('lettermill-contacts-contacts-a-3001-00000002-contacts.message-requested');
    expect(formerMembers([own, former], names)).toEqual([former.memberId]);
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
  ])('are not those of others: %s', (clientId) => {
    expect(formerMembers([member(clientId)], names)).toEqual([]);
  });

  it('are nobody where the place has no name', () => {
    const former = member('lettermill-contacts-contacts-a-3001-00000001-x');
    expect(formerMembers([former], { ...names, place: undefined })).toEqual([]);
  });
});
