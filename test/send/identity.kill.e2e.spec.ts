import { setTimeout as pause } from 'node:timers/promises';
import { Lettermill, type Message } from '../installations/lettermill';
import { idsOf, MODES, NamedCall, problemOf, waitUntilSeen } from './named.calls';
import { SmtpSink } from '../installations/smtp.sink';

const KILLS = 4;
const LANE_COUNT = 8;
const RECIPIENT_COUNTS = [1, 2, 25];

/** What the caller of a request knows in the end. */
interface Outcome {
  call: NamedCall;
  /** Message ids in order, if the caller ever got them. */
  ids?: string[];
  /** How many answers were lost with the process. */
  lost: number;
}

describe('a process that is killed again and again', () => {
  let sink: SmtpSink;
  let lettermill: Lettermill;
  let untilUp: Promise<void>;
  let isOver = false;

  beforeEach(async () => {
    sink = await new SmtpSink().start();
    lettermill = await Lettermill.start({ SMTP_URL: sink.url, RETRY_DELAYS: '1,1,1,1', RATE_LIMIT: '0' });
    await lettermill.launch('order');
    untilUp = Promise.resolve();
  });
  afterEach(async () => {
    await lettermill.destroy();
    await sink.stop();
  });

  /** Makes a request as a careful caller does: repeats it unchanged until it is answered. */
  async function sendUntilFinal(call: NamedCall, { giveUp }: { giveUp: boolean }): Promise<Outcome> {
    for (let lost = 0; ;) {
      await untilUp;
      try {
        const answer = await call.send(lettermill);
        if (answer.status === 202) return { call, ids: idsOf(answer.body), lost };
        if (answer.status !== 422) continue;
        // It was accepted and the answer was lost: every id is taken, and the refusal names the messages.
        const { errors } = problemOf(answer);
        expect(errors.map(({ code }) => code)).toEqual(call.addresses.map(() => 'external_message_id_taken'));
        return { call, ids: errors.map(({ message_id }) => message_id!), lost };
      } catch (error) {
        if ((error as Error).message !== 'fetch failed') throw error;
        lost += 1;
        if (giveUp) return { call, lost };
      }
    }
  }

  async function runLane(number: number): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (let i = 0; !isOver; i += 1) {
      const call = new NamedCall(
        `lane${number}.${i}`,
        MODES[(number + i) % 3]!,
        RECIPIENT_COUNTS[(number + i) % RECIPIENT_COUNTS.length]!,
      );
      outcomes.push(await sendUntilFinal(call, { giveUp: (number + i) % 5 === 0 }));
    }
    return outcomes;
  }

  async function killAndRestart(): Promise<void> {
    await pause(30 + Math.random() * 120);
    let ready = () => {};
    untilUp = new Promise((resolve) => (ready = resolve));
    await lettermill.stop('SIGKILL');
    await lettermill.start();
    ready();
  }

  it('has one message per recipient, with the ids that it returned, for a whole request or none', async () => {
    const lanes = Array.from({ length: LANE_COUNT }, (_, number) => runLane(number));
    for (let i = 0; i < KILLS; i += 1) await killAndRestart();
    isOver = true;
    const outcomes = (await Promise.all(lanes)).flat();
    expect(outcomes.filter(({ lost }) => lost > 0).length).toBeGreaterThanOrEqual(KILLS);
    await waitUntilSeen(lettermill, 'last');

    const byAddress = new Map<string, Message[]>();
    for (const message of await lettermill.messages()) {
      const { email } = message.contact_key as { email: string };
      byAddress.set(email, [...(byAddress.get(email) ?? []), message]);
    }
    for (const { call, ids } of outcomes) {
      const found = call.addresses.map((address) => byAddress.get(address) ?? []);
      const foundIds = found.flatMap((messages) => messages.map(({ message_id }) => message_id));
      if (ids ?? foundIds.length > 0) expect(found.map(({ length }) => length)).toEqual(call.addresses.map(() => 1));
      if (ids) expect(foundIds).toEqual(ids);
      expect(new Set(found.flat().map(({ request_id }) => request_id)).size).toBeLessThanOrEqual(1);
    }
  }, 240_000);

  it('returns the same ids to all concurrent retries of a request that it broke off', async () => {
    const calls = MODES.map((mode) => new NamedCall(`orphan.${mode}`, mode, 20));
    const first = Promise.all(calls.map((call) => call.send(lettermill).catch(() => undefined)));
    await pause(Math.random() * 20);
    await lettermill.stop('SIGKILL');
    const told = await first;
    await lettermill.start();
    const twins = calls.map((call) => Promise.all(Array.from({ length: 20 }, () => call.send(lettermill))));
    const answers = (await Promise.all(twins)).map((ofCall, i) => [...ofCall, ...(told[i] ? [told[i]] : [])]);
    await waitUntilSeen(lettermill, 'last');
    const found = await lettermill.messages();
    for (const [i, call] of calls.entries()) {
      const accepted = answers[i]!.filter(({ status }) => status === 202);
      const refused = answers[i]!.filter(({ status }) => status === 422);
      if (call.mode === 'ids') expect(accepted.length).toBeLessThanOrEqual(1);
      else expect(refused).toEqual([]);
      const ids = [...accepted.map(({ body }) => idsOf(body)), ...refused.map(takenIds)];
      expect(ids.length).toBeGreaterThanOrEqual(1);
      expect(ids).toEqual(ids.map(() => ids[0]));
      const ours = found.filter(({ contact_key }) => call.addresses.includes((contact_key as { email: string }).email));
      expect(ours.map(({ message_id }) => message_id).sort()).toEqual(ids[0]!.toSorted());
    }
  }, 240_000);

  const takenIds = (answer: Parameters<typeof problemOf>[0]) =>
    problemOf(answer).errors.map((error) => error.message_id!);
});
