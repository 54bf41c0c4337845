import { carryOver } from './carried.over';

describe('carrying over a write-ahead log', () => {
  const failing = (code: string) => ({
    pragma: () => {
      throw Object.assign(new Error(code), { code });
    },
  });

  it('does not fail on a full volume', () => {
    expect(() => carryOver(failing('SQLITE_FULL'))).not.toThrow();
  });

  it('fails when the disk fails, so that nothing builds on that log', () => {
    expect(() => carryOver(failing('SQLITE_IOERR_FSYNC'))).toThrow('SQLITE_IOERR_FSYNC');
  });
});
