import type { SmtpConnection } from '../smtp/smtp.connection';
import { IdleConnections } from './hop.idle';

describe('idle connections', () => {
  const connection = (name: string) => ({ name }) as unknown as SmtpConnection;
  const [first, second, third] = ['first', 'second', 'third'].map(connection) as [
    SmtpConnection,
    SmtpConnection,
    SmtpConnection,
  ];
  let expired: SmtpConnection[];
  let idle: IdleConnections;

  beforeEach(() => {
    jest.useFakeTimers();
    expired = [];
    idle = new IdleConnections(1_000, (one) => expired.push(one));
    for (const one of [first, second, third]) idle.put(one);
  });
  afterEach(() => jest.useRealTimers());

  it('are taken in reverse order, and none that is in use expires', () => {
    expect([idle.take(), idle.take()]).toEqual([third, second]);
    jest.advanceTimersByTime(1_000);
    expect(expired).toEqual([first]);
  });

  it('are neither taken nor expire once removed', () => {
    idle.remove(second);
    idle.remove(second);
    expect(idle.list()).toEqual([first, third]);
    jest.advanceTimersByTime(1_000);
    expect(expired).toEqual([first, third]);
  });

  it('are none once the last was taken', () => {
    for (const one of [third, second, first, undefined]) expect(idle.take()).toBe(one);
  });
});
