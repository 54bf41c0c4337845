import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Lettermill } from '../installations/lettermill';
import type { ClientEntry, CopyEntry } from './entries';
import { Journal } from './journal';
import { MailServer } from './mail.server';
import { HopTls } from './mail.tls';
import { Orders } from './orders';
import { waitUntilSettled } from './reported.messages';
import { Traffic, type RecipientMix, type TrafficOptions } from './traffic';
import { judge, type Verdict } from './verdict';

/** About two of each fault among 1,000 messages, and more of the common ones. */
export const FAULTY_MIX: RecipientMix = {
  later1: 15,
  later3: 5,
  dotlater: 5,
  refused: 10,
  rejected: 5,
  slow: 10,
  cutrcpt: 3,
  resetrcpt: 3,
  cutdata: 3,
  cutcontent: 3,
  cutdot: 3,
  resetdot: 3,
  lostdot: 3,
  tarpit: 1,
  tardot: 1,
  closing: 1,
  garbage: 2,
  garbagedot: 2,
  garbagedata: 2,
  oversized: 2,
  oversizeddot: 2,
  wrongdata: 2,
  wrongdot: 2,
  oddrcpt: 2,
  odddot: 2,
};

/** The product between a client and a server that both keep ledgers. */
export class LedgerRun {
  private constructor(
    readonly directory: string,
    private readonly client: Journal<ClientEntry>,
    private readonly copies: Journal<CopyEntry>,
    readonly server: MailServer,
    readonly lettermill: Lettermill,
  ) {}

  static async create(
    environment: Record<string, string> = {},
    install: (environment: Record<string, string>) => Promise<Lettermill> = (all) => Lettermill.create(all),
    tls?: HopTls['kind'],
  ): Promise<LedgerRun> {
    const directory = await mkdtemp(join(tmpdir(), 'lettermill-ledger-'));
    const hopTls = tls && new HopTls(tls, join(directory, 'trusted.pem'));
    const copies = await Journal.open<CopyEntry>(join(directory, 'copies.jsonl'));
    const server = await new MailServer(copies, undefined, hopTls).listen();
    const lettermill = await install({
      SMTP_URL: server.url,
      RATE_LIMIT: '0',
      // An outcome that is unknown after a kill counts as an attempt, so there must be enough of them.
      RETRY_DELAYS: Array.from({ length: 60 }, () => '1').join(','),
      LOG_LEVEL: 'error',
      ...(hopTls && { NODE_EXTRA_CA_CERTS: hopTls.trustFile }),
      ...environment,
    });
    const client = await Journal.open<ClientEntry>(join(directory, 'client.jsonl'));
    return new LedgerRun(directory, client, copies, server, lettermill);
  }

  async launch(): Promise<void> {
    await this.lettermill.launch('order');
    await this.lettermill.launch('code', { priority: 'high' });
    await this.lettermill.launch('letter', { priority: 'bulk' });
    await this.lettermill.launch('held', { on_uncertain: 'hold' });
  }

  /** `anyOf`: chooses the gateway of each request, if there are several. */
  traffic(options: Omit<TrafficOptions, 'call'>, anyOf = () => this.lettermill): Traffic {
    const call = (body: unknown, headers: Record<string, string>) =>
      anyOf().call('POST', '/v2/send/email', body, headers);
    return new Traffic(this.client, { ...options, call });
  }

  orders(anyOf: () => Lettermill): Orders {
    return new Orders(this.client, this.server, anyOf);
  }

  entries(): Promise<ClientEntry[]> {
    return this.client.read();
  }

  /** Waits until no message is in progress any more, or none makes progress; then compares the ledgers. */
  async verdict(patienceMs: number): Promise<Verdict> {
    const reported = await waitUntilSettled(this.lettermill, patienceMs);
    const verdict = judge({ client: await this.client.read(), copies: await this.copies.read(), told: reported });
    const insecure = this.server.insecure.map((what) => ({ kind: 'insecure' as const, what }));
    return { ...verdict, faults: [...verdict.faults, ...insecure] };
  }

  /** `keep`: keeps the ledgers, as something is wrong in them. */
  async close(keep = false): Promise<void> {
    await this.lettermill.stop('SIGKILL');
    await this.server.close();
    await this.client.close();
    await this.copies.close();
    if (keep) return;
    await this.lettermill.destroy();
    await rm(this.directory, { recursive: true, force: true });
  }
}

export interface CrashOptions {
  messages: number;
  kills: number;
  /** The longest that a life lasts after the process said that it is ready. */
  lifeMs: number;
  lanes: number;
  mix: RecipientMix;
  patienceMs: number;
  /** Aborting it ends kills and new requests; what was begun is settled. */
  signal?: AbortSignal;
  onKill?(kills: number, traffic: Traffic, server: MailServer): void;
}

export interface CrashReport extends Verdict {
  kills: number;
  /** Kills among them before the process was ready. */
  killedStarting: number;
  seconds: number;
  directory: string;
}

/** Kills the process again and again, at random moments of its start and its work, while the client goes on. */
export async function crashRun(options: CrashOptions): Promise<CrashReport> {
  const began = Date.now();
  const run = await LedgerRun.create();
  const { lettermill, server } = run;
  let [kills, killedStarting, keep] = [0, 0, true];
  try {
    await lettermill.start();
    await run.launch();
    const allowed = () => ((kills + 1) / options.kills) * options.messages;
    const traffic = run.traffic({ ...options, allowed });
    const sending = traffic.run();
    const goesOn = () => kills < options.kills && !options.signal?.aborted;
    while (goesOn()) {
      await pause(Math.random() * options.lifeMs);
      await lettermill.stop('SIGKILL');
      kills += 1;
      options.onKill?.(kills, traffic, server);
      // Some are killed again while they start.
      while (goesOn() && Math.random() < 0.15) {
        const starting = lettermill.start().catch(() => undefined);
        await pause(200 + Math.random() * 1500);
        await lettermill.stop('SIGKILL');
        await starting;
        [kills, killedStarting] = [kills + 1, killedStarting + 1];
      }
      await lettermill.start();
    }
    traffic.stopping = options.signal?.aborted ?? false;
    await sending;
    const verdict = await run.verdict(options.patienceMs);
    keep = verdict.faults.length > 0;
    const seconds = Math.round((Date.now() - began) / 1000);
    return { kills, killedStarting, seconds, directory: run.directory, ...verdict };
  } finally {
    await run.close(keep);
  }
}
