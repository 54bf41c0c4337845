import { Companions } from './companions';

describe('Companions', () => {
  it('keep nobody who is alone', async () => {
    const companions = new Companions();
    await companions.together();
    expect(await companions.during(() => Promise.resolve(1))).toBe(1);
    await companions.together();
  });

  it('go together when the last one is back', async () => {
    const companions = new Companions();
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
    const companions = new Companions();
    let back!: () => void;
    const away = companions.during(() => new Promise<void>((resolve) => (back = resolve)));
    await companions.together();
    back();
    await away;
  });
});
