import { existsSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { installedWithSink } from '../installations/installed';
import { waitFor, type Ack, type Answer } from '../installations/lettermill';
import { everyMessage, idsOf, MODES, NamedCall, problemOf, untilSeen, type Mode } from './named.calls';

/** The steps from the claim to the answer, in order. */
const STEPS = ['claim:before', 'claim:after', 'put:after', 'append:before', 'append:after', 'confirm:after'];
/** The step that a call is at when the process dies; a second one is that of its retry when the next process dies. */
const DEATHS = [
  ...STEPS.map((step) => [step]),
  ...[
    ['claim:after', 'takeOver:after'],
    ['append:after', 'append:after'],
    ['append:after', 'confirm:after'],
  ],
];
const TWINS = 12;
const RECIPIENTS = 3;
/** Too large for an event: what the recipients share goes to the blob store (claim check). */
const LARGE = { text: 'x'.repeat(20_000) };

describe('a request that is broken off at a given step', () => {
  const fault = join(tmpdir(), `lettermill-step-${process.pid}`);
  /** What the callers were told, to compare with what is there in the end. */
  const known: { addresses: string[]; ids: string[] }[] = [];
  const { sink, lettermill } = installedWithSink({
    ...{ RETRY_DELAYS: '1,1,1', RATE_LIMIT: '0' },
    ...{ NODE_OPTIONS: `--import ${join(__dirname, 'step.faults.mjs')}`, STEP_FAULT_FILE: fault },
  });
  beforeAll(async () => {
    await lettermill.launch('order');
    for (const life of [0, 1]) await dieWithEachAtItsStep(life);
  });
  afterAll(() => rm(fault, { force: true }));

  const at = (step: string, what: 'hold' | 'refuse' | 'doubt') => writeFileSync(fault, `${what} ${step}`);
  const make = (call: NamedCall) => lettermill.send({ ...call.body, profile_data: LARGE }, call.headers);

  /** Repeats the call until it gets a final answer; 409 says when to try again. */
  async function insist(call: NamedCall): Promise<Answer<Ack>> {
    for (;;) {
      const answer = await make(call);
      if (answer.status !== 409) return answer;
      await pause(1000 * Number(answer.headers.get('retry-after')));
    }
  }

  /** The message ids that an answer names: as accepted, or as taken before. */
  function told({ status, body, ...answer }: Answer<Ack>, mode: Mode): string[] {
    if (status === 202) return idsOf(body);
    expect([status, mode]).toEqual([422, 'ids']);
    const { errors } = problemOf({ status, body, ...answer });
    expect(errors.map(({ code }) => code)).toEqual(Array(RECIPIENTS).fill('external_message_id_taken'));
    return errors.map(({ message_id }) => message_id!);
  }

  const named = (mode: Mode, steps: string[]) =>
    new NamedCall([mode, ...steps].join('.').replaceAll(':', '-'), mode, RECIPIENTS);

  /** Brings calls to their steps one after another, where they hang; then kills the process and starts it again. */
  async function dieWithEachAtItsStep(life: number): Promise<void> {
    const lost: Promise<unknown>[] = [];
    for (const mode of MODES) {
      for (const steps of DEATHS.filter((all) => all.length > life)) {
        at(steps[life]!, 'hold');
        lost.push(expect(insist(named(mode, steps))).rejects.toThrow('fetch failed'));
        await waitFor(() => !existsSync(fault), `a call at ${steps[life]}`);
      }
    }
    await lettermill.stop('SIGKILL');
    await Promise.all(lost);
    await lettermill.start();
  }

  /** Expects that many concurrent retries, and one more, are all answered with the same ids. */
  async function expectSame(call: NamedCall): Promise<void> {
    const answers = await Promise.all(Array.from({ length: TWINS }, () => insist(call)));
    const ids = [...answers, await insist(call)].map((answer) => told(answer, call.mode));
    expect(ids).toEqual(ids.map(() => ids[0]));
    known.push({ addresses: call.addresses, ids: ids[0]! });
  }

  describe.each(MODES)('identified by: %s', (mode) => {
    it.each(DEATHS.map((steps) => [steps.join(', then its retry at '), steps] as const))(
      'is accepted once after a kill at %s',
      (_, steps) => expectSame(named(mode, [...steps])),
    );

    it('can be retried at once if the log took nothing', async () => {
      const call = new NamedCall(`${mode}.refused`, mode, RECIPIENTS);
      at('append:before', 'refuse');
      const { status, headers } = await make(call);
      expect([status, Number(headers.get('retry-after')) > 0]).toEqual([503, true]);
      await expectSame(call);
    });

    it('can be retried at once, with its first ids, if the append has an unknown outcome', async () => {
      const call = new NamedCall(`${mode}.doubtful`, mode, RECIPIENTS);
      at('append:after', 'doubt');
      expect((await make(call)).status).toBe(503);
      await expectSame(call);
    });
  });

  it('has each of its messages once, with the same mail', async () => {
    await untilSeen(lettermill, 'last');
    const found = await everyMessage(lettermill);
    for (const { addresses, ids } of known) {
      const ours = found.filter(({ contact_key }) => addresses.includes((contact_key as { email: string }).email));
      expect(ours.map(({ message_id }) => message_id).sort()).toEqual(ids.toSorted());
      expect(new Set(ours.map(({ request_id }) => request_id)).size).toBe(1);
      // If the process dies between final dot and record, the same mail is repeated, never a different one made.
      const mails = () => addresses.map((address) => new Set(sink.to(address).map(({ raw }) => raw.toString())).size);
      await waitFor(() => mails().every((count) => count > 0), `mails to ${addresses[0]} and others`);
      expect(mails()).toEqual(addresses.map(() => 1));
    }
    expect(known).toHaveLength(MODES.length * (DEATHS.length + 2));
  });
});
