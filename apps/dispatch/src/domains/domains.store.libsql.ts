import type { SqlDatabase, SqlRow } from '@lettermill/storage';
import type { SendingDomain } from './domain';
import { nextLookupAt } from './domain.decide';
import type { DomainRef, DomainStore } from './domains.store';

const TABLE = [
  `CREATE TABLE dispatch_domains (
    account_id TEXT NOT NULL, domain TEXT NOT NULL, revision INTEGER NOT NULL, content TEXT NOT NULL, look_at INTEGER,
    PRIMARY KEY (account_id, domain)) WITHOUT ROWID`,
  'CREATE INDEX dispatch_domains_look ON dispatch_domains (look_at) WHERE look_at IS NOT NULL',
];

const FIND = `SELECT d.content FROM json_each(?) AS asked CROSS JOIN dispatch_domains AS d
  ON d.account_id = asked.value->>0 AND d.domain = asked.value->>1`;
const LIST = `SELECT content FROM dispatch_domains WHERE account_id = ? AND domain > ? ORDER BY domain LIMIT ?`;
const PAGE = `SELECT content FROM dispatch_domains WHERE (account_id, domain) > (?, ?) ORDER BY account_id, domain LIMIT ?`;
const DUE = `SELECT content FROM dispatch_domains WHERE look_at <= ? ORDER BY look_at LIMIT ?`;
const COUNT = `SELECT count(*) AS count FROM dispatch_domains WHERE account_id = ?`;
const INSERT = `INSERT INTO dispatch_domains (revision, content, look_at, account_id, domain) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (account_id, domain) DO NOTHING`;
const UPDATE = `UPDATE dispatch_domains SET revision = ?, content = ?, look_at = ?
  WHERE account_id = ? AND domain = ? AND revision = ?`;
const DELETE = `DELETE FROM dispatch_domains WHERE account_id = ? AND domain = ?`;

const domainOf = ({ content }: SqlRow): SendingDomain => JSON.parse(content as string) as SendingDomain;

export class LibsqlDomainStore implements DomainStore {
  constructor(private readonly database: SqlDatabase) {}

  migrate(): Promise<void> {
    return this.database.migrate('dispatch.domains', [{ name: '1-domains', statements: TABLE }]);
  }

  async find(refs: readonly DomainRef[]): Promise<SendingDomain[]> {
    if (refs.length === 0) return [];
    const asked = refs.map(({ accountId, domain }) => [accountId, domain]);
    return (await this.database.read(FIND, [JSON.stringify(asked)])).map(domainOf);
  }

  async list(accountId: string, limit: number, after: string): Promise<SendingDomain[]> {
    return (await this.database.read(LIST, [accountId, after, limit])).map(domainOf);
  }

  async page(limit: number, after: DomainRef | null): Promise<SendingDomain[]> {
    return (await this.database.read(PAGE, [after?.accountId ?? '', after?.domain ?? '', limit])).map(domainOf);
  }

  async due(now: number, limit: number): Promise<SendingDomain[]> {
    return (await this.database.read(DUE, [now, limit])).map(domainOf);
  }

  async count(accountId: string): Promise<number> {
    const [row] = await this.database.read(COUNT, [accountId]);
    return row!.count as number;
  }

  async put(domain: SendingDomain, before: number | null): Promise<boolean> {
    const { revision, accountId } = domain;
    const row = [revision, JSON.stringify(domain), nextLookupAt(domain), accountId, domain.domain];
    const step = before === null ? { sql: INSERT, rows: [row] } : { sql: UPDATE, rows: [[...row, before]] };
    const [result] = await this.database.write([step]);
    return result!.changes[0]! > 0;
  }

  async remove({ accountId, domain }: DomainRef): Promise<boolean> {
    const [result] = await this.database.write([{ sql: DELETE, rows: [[accountId, domain]] }]);
    return result!.changes[0]! > 0;
  }
}
