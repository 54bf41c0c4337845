import type { SqlDatabase } from '@lettermill/storage';
import type { Reached } from './reach';
import type { ReachStore } from './reach.store';

const TABLE = `CREATE TABLE contacts_reach (
  partition INTEGER NOT NULL PRIMARY KEY, position INTEGER NOT NULL, event_id TEXT NOT NULL)`;

const ADVANCE = `INSERT INTO contacts_reach VALUES (?, ?, ?) ON CONFLICT (partition) DO UPDATE
  SET position = excluded.position, event_id = excluded.event_id WHERE excluded.position > position`;

export class LibsqlReachStore implements ReachStore {
  constructor(private readonly database: SqlDatabase) {}

  migrate(): Promise<void> {
    return this.database.migrate('contacts.reach', [{ name: '001-reach', statements: [TABLE] }]);
  }

  async load(): Promise<Reached[]> {
    const rows = await this.database.read('SELECT * FROM contacts_reach', []);
    return rows.map((row) => ({
      partition: row.partition as number,
      position: row.position as number,
      eventId: row.event_id as string,
    }));
  }

  async advance(reached: Reached[]): Promise<void> {
    if (reached.length === 0) return;
    const rows = reached.map(({ partition, position, eventId }) => [partition, position, eventId]);
    await this.database.write([{ sql: ADVANCE, rows }]);
  }

  async forget(): Promise<void> {
    await this.database.write([{ sql: 'DELETE FROM contacts_reach', rows: [[]] }]);
  }
}
