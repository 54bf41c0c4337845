import type { SqlDatabase } from '@lettermill/storage';
import type { AppliedPosition } from './positions';
import type { PositionsStore } from './positions.store';

const TABLE = `CREATE TABLE contacts_reach_places (
  place TEXT NOT NULL PRIMARY KEY, position INTEGER NOT NULL, event_id TEXT NOT NULL) WITHOUT ROWID`;

const ADVANCE = `INSERT INTO contacts_reach_places VALUES (?, ?, ?) ON CONFLICT (place) DO UPDATE
  SET position = excluded.position, event_id = excluded.event_id WHERE excluded.position > position`;

export class LibsqlPositionsStore implements PositionsStore {
  constructor(private readonly database: SqlDatabase) {}

  migrate(): Promise<void> {
    return this.database.migrate('contacts.reach', [{ name: '1-reach', statements: [TABLE] }]);
  }

  async load(): Promise<AppliedPosition[]> {
    const rows = await this.database.read('SELECT * FROM contacts_reach_places', []);
    return rows.map((row) => ({
      place: row.place as string,
      position: row.position as number,
      eventId: row.event_id as string,
    }));
  }

  async advance(applied: AppliedPosition[]): Promise<void> {
    if (applied.length === 0) return;
    const rows = applied.map(({ place, position, eventId }) => [place, position, eventId]);
    await this.database.write([{ sql: ADVANCE, rows }]);
  }

  async forget(): Promise<void> {
    await this.database.write([{ sql: 'DELETE FROM contacts_reach_places', rows: [[]] }]);
  }
}
