import { SharedClient } from './shared.client';

class Client {
  left = 0;
  constructor(private readonly fault?: Error) {}
  connect = () => (this.fault ? Promise.reject(this.fault) : Promise.resolve());
  disconnect = () => Promise.resolve(void (this.left += 1));
}

/** Shares these clients, in the order in which they are created. */
function sharing(...clients: Client[]): SharedClient<Client> {
  return new SharedClient(() => clients.shift()!);
}

describe('a shared client', () => {
  it('is the same for all its users, and stays connected when they are done', async () => {
    const only = new Client();
    const shared = sharing(only);
    const [one, other] = [shared.take(), shared.take()];
    expect(await Promise.all([one.client, other.client])).toEqual([only, only]);
    for (const held of [one, other]) shared.giveBack(held);
    expect(await shared.take().client).toBe(only);
    expect(only.left).toBe(0);
  });

  it('is disconnected only after it was given up and its last user is done: it would reconnect', async () => {
    const [first, second] = [new Client(), new Client()];
    const shared = sharing(first, second);
    const [one, other] = [shared.take(), shared.take()];
    await one.client;
    shared.giveUp(one);
    shared.giveBack(one);
    const next = shared.take();
    expect(await next.client).toBe(second);
    // `other` belongs to the first client, which was given up before.
    shared.giveUp(other);
    expect(first.left).toBe(0);
    shared.giveBack(other);
    await other.client;
    expect(first.left).toBe(1);
    expect(await shared.take().client).toBe(second);
  });

  it('is replaced when it could not connect, and disconnected', async () => {
    const [first, second] = [new Client(new Error('no broker')), new Client()];
    const shared = sharing(first, second);
    const held = shared.take();
    await expect(held.client).rejects.toThrow('no broker');
    shared.giveBack(held);
    expect(first.left).toBe(1);
    expect(await shared.take().client).toBe(second);
  });

  it('is disconnected at once on close, and again when its last user is done', async () => {
    const only = new Client();
    const shared = sharing(only);
    const held = shared.take();
    await shared.close();
    expect(only.left).toBe(1);
    shared.giveBack(held);
    await held.client;
    expect(only.left).toBe(2);
  });
});
