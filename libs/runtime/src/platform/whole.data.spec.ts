import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataIncomplete, mustBeWhole } from './whole.data';

describe('DATA_DIR', () => {
  let directory: string;
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'lettermill-whole-'))));
  afterEach(() => rmSync(directory, { recursive: true }));

  const check = () => mustBeWhole(directory, 'log', 'lettermill.db');
  const make = (path: string) => mkdirSync(join(directory, path), { recursive: true });
  const store = (content = 'SQLite format 3') => writeFileSync(join(directory, 'lettermill.db'), content);

  it('is accepted when empty, after an interrupted first start, and with both log and stores (then in use)', () => {
    expect(check()).toBe(false);
    make('log/topics');
    expect(check()).toBe(false);
    store();
    expect(check()).toBe(false);
    make('log/topics/message-requested');
    expect(check()).toBe(true);
  });

  it('is refused with stores that have lost their log', () => {
    store();
    expect(check).toThrow(DataIncomplete);
    expect(check).toThrow(/has lettermill\.db but not log.*backup.*DATA_DIR/);
  });

  it('is refused with a log that has lost its stores', () => {
    make('log/topics/message-requested');
    expect(check).toThrow(/has log but not lettermill\.db/);
    store('');
    expect(check).toThrow(/has log but not lettermill\.db/);
  });
});
