import { checkpointLeftoverWal } from './leftover.wal';

describe('carrying over a write-ahead log', () => {
  const failing = (code: string) => ({
    pragma: () => {
      throw Object.assign(new Error(code), { code });
    },
  });

  it('does not fail on a full volume', () => {
    expect(() => checkpointLeftoverWal(failing('SQLITE_FULL'))).not.toThrow();
  });

  it('fails when the disk fails, so that nothing builds on that log', () => {
    expect(() => checkpointLeftoverWal(failing('SQLITE_IOERR_FSYNC'))).toThrow('SQLITE_IOERR_FSYNC');
  });
});
