import type { SqlDatabase } from '@lettermill/storage';
import type { ReachedPosition } from './reach';
import type { ReachStore } from './reach.store';

const TABLE = `CREATE TABLE contacts_reach_places (
  place TEXT NOT NULL PRIMARY KEY, position INTEGER NOT NULL, event_id TEXT NOT NULL) WITHOUT ROWID`;

const ADVANCE = `INSERT INTO contacts_reach_places VALUES (?, ?, ?) ON CONFLICT (place) DO UPDATE
  SET position = excluded.position, event_id = excluded.event_id WHERE excluded.position > position`;

export class LibsqlReachStore implements ReachStore {
  constructor(private readonly database: SqlDatabase) {}

  migrate(): Promise<void> {
    return this.database.migrate('contacts.reach', [{ name: '001-reach', statements: [TABLE] }]);
  }

  async load(): Promise<ReachedPosition[]> {
    const rows = await this.database.read('SELECT * FROM contacts_reach_places', []);
    return rows.map((row) => ({
      place: row.place as string,
      position: row.position as number,
      eventId: row.event_id as string,
    }));
  }

  async advance(reached: ReachedPosition[]): Promise<void> {
    if (reached.length === 0) return;
    const rows = reached.map(({ place, position, eventId }) => [place, position, eventId]);
    await this.database.write([{ sql: ADVANCE, rows }]);
  }

  async forget(): Promise<void> {
    await this.database.write([{ sql: 'DELETE FROM contacts_reach_places', rows: [[]] }]);
  }
}
