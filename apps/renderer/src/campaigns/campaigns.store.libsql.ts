import type { SqlDatabase, SqlRow } from '@lettermill/storage';
import type { CampaignHead, CampaignName, CampaignVersion } from './campaign';
import { partsOf, versionFromParts, type CampaignStore, type StoredVersion, type VersionRef } from './campaigns.store';

const INSERT = `INSERT INTO renderer_campaigns (account_id, slug, version, id, head, bodies, published)
  VALUES (?, ?, ?, ?, ?, ?, 0) ON CONFLICT DO NOTHING`;
const BY_SLUG = `SELECT * FROM renderer_campaigns WHERE account_id = ? AND slug = ? ORDER BY version DESC LIMIT 1`;
const BY_ID = `SELECT * FROM renderer_campaigns WHERE account_id = ? AND id = ? ORDER BY version DESC LIMIT 1`;
const BY_REF = `SELECT * FROM renderer_campaigns WHERE (account_id, id, version) IN
  (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?))`;
/** Every campaign has a first version: however many more it has, only the newest of them is read. '~' is after every id. */
export const PAGE = `SELECT (SELECT head FROM renderer_campaigns AS newest
    WHERE account_id = first.account_id AND id = first.id ORDER BY version DESC LIMIT 1) AS head
  FROM renderer_campaigns AS first
  WHERE account_id = ? AND version = 1 AND id < ifnull(?, '~') ORDER BY id DESC LIMIT ?`;
const UNPUBLISHED = `SELECT * FROM renderer_campaigns WHERE published = 0 ORDER BY id, version`;
const MARK_PUBLISHED = `UPDATE renderer_campaigns SET published = 1 WHERE account_id = ? AND id = ? AND version = ?`;

function storedVersionOf(row: SqlRow): StoredVersion {
  const parts = { head: String(row.head), bodies: String(row.bodies) };
  return { ...versionFromParts(parts), published: row.published === 1 };
}

export class LibsqlCampaignStore implements CampaignStore {
  constructor(private readonly database: SqlDatabase) {}

  migrate(): Promise<void> {
    return this.database.migrate('renderer.campaigns', [
      {
        name: '1-campaigns',
        statements: [
          `CREATE TABLE renderer_campaigns (
             account_id TEXT NOT NULL, slug TEXT NOT NULL, version INTEGER NOT NULL, id TEXT NOT NULL,
             head TEXT NOT NULL, bodies TEXT NOT NULL, published INTEGER NOT NULL,
             PRIMARY KEY (account_id, slug, version)
           )`,
          'CREATE UNIQUE INDEX renderer_campaigns_id ON renderer_campaigns (account_id, id, version)',
          'CREATE INDEX renderer_campaigns_first ON renderer_campaigns (account_id, id) WHERE version = 1',
          'CREATE INDEX renderer_campaigns_unpublished ON renderer_campaigns (id, version) WHERE published = 0',
        ],
      },
    ]);
  }

  async add(version: CampaignVersion): Promise<boolean> {
    const { launched } = version;
    const { head, bodies } = partsOf(version);
    const row = [launched.account_id, launched.slug, launched.version, launched.id, head, bodies];
    const [result] = await this.database.write([{ sql: INSERT, rows: [row] }]);
    return result!.changes[0] === 1;
  }

  async latest(accountId: string, name: CampaignName): Promise<StoredVersion | undefined> {
    const [row] =
      'slug' in name
        ? await this.database.read(BY_SLUG, [accountId, name.slug])
        : await this.database.read(BY_ID, [accountId, name.id]);
    return row && storedVersionOf(row);
  }

  async versions(refs: VersionRef[]): Promise<CampaignVersion[]> {
    const keys = refs.map(({ accountId, id, version }) => [accountId, id, version]);
    return (await this.database.read(BY_REF, [JSON.stringify(keys)])).map(storedVersionOf);
  }

  async page(accountId: string, limit: number, before: string | null): Promise<CampaignHead[]> {
    const rows = await this.database.read(PAGE, [accountId, before, limit]);
    return rows.map((row) => JSON.parse(String(row.head)) as CampaignHead);
  }

  async unpublished(): Promise<CampaignVersion[]> {
    return (await this.database.read(UNPUBLISHED)).map(storedVersionOf);
  }

  async markPublished(refs: VersionRef[]): Promise<void> {
    const rows = refs.map(({ accountId, id, version }) => [accountId, id, version]);
    await this.database.write([{ sql: MARK_PUBLISHED, rows }]);
  }
}
