import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as Log from '@lettermill/log';
import { atDesk } from './desk';

let fault: Error;
jest.mock('@lettermill/log', () => ({
  ...jest.requireActual<typeof Log>('@lettermill/log'),
  lockDirectory: () => {
    throw fault;
  },
}));

describe('the desk of a directory that can not be taken', () => {
  const directory = mkdtempSync(join(tmpdir(), 'lettermill-desk-'));
  mkdirSync(join(directory, 'log'));
  afterAll(() => rmSync(directory, { recursive: true }));

  const opened = () => atDesk({ DATA_DIR: directory }, () => Promise.resolve('at work'));

  it.each([
    Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' }),
    Object.assign(new Error('no space left'), { code: 'ENOSPC' }),
    Object.assign(new Error('not written'), { cause: { code: 'EDQUOT' } }),
  ])('says that the volume is full: %s', async (full) => {
    fault = full;
    const told = { message: `The volume of ${directory} is full: make room, and try again.`, exitCode: 1 };
    await expect(opened()).rejects.toMatchObject(told);
  });

  it('says of anything else what it is', async () => {
    fault = new Error('something else');
    await expect(opened()).rejects.toBe(fault);
  });
});
