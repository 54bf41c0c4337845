import { Companions } from './companions';

describe('Companions', () => {
  let now = 0;

  it('keep nobody who is alone', async () => {
    const companions = new Companions(() => now);
    await companions.together();
    expect(await companions.during(() => Promise.resolve(1))).toBe(1);
    await companions.together();
  });

  it('go together when the last one is back', async () => {
    const companions = new Companions(() => now);
    const order: string[] = [];
    const attempt = async (name: string, work: Promise<unknown>) => {
      await companions.during(() => work).catch(() => order.push(`${name} failed`));
      await companions.together();
      order.push(name);
    };
    let back!: () => void;
    let fail!: (error: Error) => void;
    const all = [
      attempt('one', Promise.resolve()),
      attempt('two', new Promise<void>((resolve) => (back = resolve))),
      attempt('three', new Promise((_, reject) => (fail = reject))),
    ];
    await Promise.resolve();
    back();
    fail(new Error('no'));
    await Promise.all(all);
    expect(order).toEqual(['three failed', 'one', 'two', 'three']);
  });

  it('do not wait long for one who stays away', async () => {
    const companions = new Companions(() => now);
    let back!: () => void;
    const away = companions.during(() => new Promise<void>((resolve) => (back = resolve)));
    await companions.together();
    back();
    await away;
  });

  it('do not wait at all for one who has been away for long', async () => {
    const companions = new Companions(() => now);
    let back!: () => void;
    const away = companions.during(() => new Promise<void>((resolve) => (back = resolve)));
    now += 1_000;
    let gone = false;
    const going = companions.together().then(() => (gone = true));
    await Promise.resolve();
    expect(gone).toBe(true);
    back();
    await Promise.all([away, going]);
  });
});
