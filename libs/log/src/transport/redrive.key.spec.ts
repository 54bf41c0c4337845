import { ownKeyOf, withCompactionKey } from './redrive.key';

const record = (headers: Record<string, string>) => ({ topic: 't', key: 'acct:ada', value: 'v', headers });

describe('the key of a record on a compacted topic', () => {
  it('is its own, unless it was redriven: then it is told apart from the newer records of that key', () => {
    const plain = record({ ce_id: 'e' });
    expect(withCompactionKey(plain)).toBe(plain);
    const keys = ['renderer', 'tracker'].map(
      (group) => withCompactionKey(record({ ce_id: 'e', 'redrive-group': group })).key,
    );
    expect(new Set([...keys, 'acct:ada']).size).toBe(3);
  });

  it('is all that differs from the record that was redriven', () => {
    const redriven = record({ ce_id: 'e', 'redrive-group': 'renderer' });
    expect(withCompactionKey(redriven)).toEqual({ ...redriven, key: expect.any(String) as string });
  });

  it('is given back to those who read it', () => {
    const headers = { ce_id: 'e', 'redrive-group': 'renderer' };
    expect(ownKeyOf(withCompactionKey(record(headers)).key, headers)).toBe('acct:ada');
    expect(ownKeyOf('acct:ada', headers)).toBe('acct:ada');
    expect(ownKeyOf('acct:ada#redrive:renderer:e', { ce_id: 'e' })).toBe('acct:ada#redrive:renderer:e');
  });
});
