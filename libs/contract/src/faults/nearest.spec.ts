import { nearestName } from './nearest';

const KNOWN_NAMES = ['campaign', 'to', 'profile_data', 'message', 'attachments', 'cc', 'bcc'];

describe('the nearest name', () => {
  it.each([
    ['campain', 'campaign'],
    ['campiagn', 'campaign'],
    ['Campaign', 'campaign'],
    ['profileData', 'profile_data'],
    ['profile-data', 'profile_data'],
    ['profil', undefined],
    ['attachment', 'attachments'],
    ['CC', 'cc'],
    ['too', 'to'],
    ['subject', undefined],
    ['', undefined],
    ['x'.repeat(1000), undefined],
  ])('to %s is %s', (name, meant) => {
    expect(nearestName(name, KNOWN_NAMES)).toBe(meant);
  });
});
