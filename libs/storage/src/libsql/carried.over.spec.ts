import { carryOver } from './carried.over';

describe('a write-ahead log that is carried over', () => {
  const failing = (code: string) => ({
    pragma: () => {
      throw Object.assign(new Error(code), { code });
    },
  });

  it('stays where it is on a volume that has no room for it, which ends no process', () => {
    expect(() => carryOver(failing('SQLITE_FULL'))).not.toThrow();
  });

  it('is not built upon where the disk fails', () => {
    expect(() => carryOver(failing('SQLITE_IOERR_FSYNC'))).toThrow('SQLITE_IOERR_FSYNC');
  });
});
