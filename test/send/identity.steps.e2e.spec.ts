import { existsSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { installedWithSink } from '../installations/installed';
import { waitFor, type Ack, type Answer } from '../installations/lettermill';
import { idsOf, MODES, NamedCall, problemOf, waitUntilSeen, type Mode } from './named.calls';

/** The steps from the claim to the answer, in order. */
const STEPS = ['claim:before', 'claim:after', 'put:after', 'append:before', 'append:after', 'confirm:after'];
/** The step that a call is at when the process dies; a second one is that of its retry when the next process dies. */
const STEPS_OF_DEATH = [
  ...STEPS.map((step) => [step]),
  ['claim:after', 'takeOver:after'],
  ['append:after', 'append:after'],
  ['append:after', 'confirm:after'],
];
const RETRIES = 12;
const RECIPIENT_COUNT = 3;
/** Too large for an event: what the recipients share goes to the blob store (claim check). */
const LARGE_DATA = { text: 'x'.repeat(20_000) };

describe('a request that is broken off at a given step', () => {
  const faultFile = join(tmpdir(), `lettermill-step-${process.pid}`);
  /** What the callers were told, to compare with what is there in the end. */
  const answeredCalls: { addresses: string[]; ids: string[] }[] = [];
  const { sink, lettermill } = installedWithSink({
    RETRY_DELAYS: '1,1,1',
    RATE_LIMIT: '0',
    NODE_OPTIONS: `--import ${join(__dirname, 'step.faults.mjs')}`,
    STEP_FAULT_FILE: faultFile,
  });
  beforeAll(async () => {
    await lettermill.launch('order');
    for (const life of [0, 1]) await killAtEachStep(life);
  });
  afterAll(() => rm(faultFile, { force: true }));

  const injectFault = (step: string, what: 'hold' | 'refuse' | 'doubt') => writeFileSync(faultFile, `${what} ${step}`);
  const sendLarge = (call: NamedCall) => lettermill.send({ ...call.body, profile_data: LARGE_DATA }, call.headers);

  /** Repeats the call until it gets a final answer; 409 says when to try again. */
  async function sendUntilFinal(call: NamedCall, send = () => sendLarge(call)): Promise<Answer<Ack>> {
    for (;;) {
      const answer = await send();
      if (answer.status !== 409) return answer;
      await pause(1000 * Number(answer.headers.get('retry-after')));
    }
  }

  /** The message ids that an answer names: as accepted, or as taken before. */
  function idsIn({ status, body, ...answer }: Answer<Ack>, mode: Mode): string[] {
    if (status === 202) return idsOf(body);
    expect([status, mode]).toEqual([422, 'ids']);
    const { errors } = problemOf({ status, body, ...answer });
    expect(errors.map(({ code }) => code)).toEqual(Array(RECIPIENT_COUNT).fill('external_message_id_taken'));
    return errors.map(({ message_id }) => message_id!);
  }

  const callFor = (mode: Mode, steps: string[]) =>
    new NamedCall([mode, ...steps].join('.').replaceAll(':', '-'), mode, RECIPIENT_COUNT);

  /** Brings calls to their steps one after another, where they hang; then kills the process and starts it again. */
  async function killAtEachStep(life: number): Promise<void> {
    const lost: Promise<unknown>[] = [];
    for (const mode of MODES) {
      for (const steps of STEPS_OF_DEATH.filter((all) => all.length > life)) {
        injectFault(steps[life]!, 'hold');
        lost.push(expect(sendUntilFinal(callFor(mode, steps))).rejects.toThrow('fetch failed'));
        await waitFor(() => !existsSync(faultFile), `a call at ${steps[life]}`);
      }
    }
    await lettermill.stop('SIGKILL');
    await Promise.all(lost);
    await lettermill.start();
  }

  /** Expects that many concurrent retries, and one more, are all answered with the same ids. */
  async function expectSameIds(call: NamedCall): Promise<void> {
    const answers = await Promise.all(Array.from({ length: RETRIES }, () => sendUntilFinal(call)));
    const ids = [...answers, await sendUntilFinal(call)].map((answer) => idsIn(answer, call.mode));
    expect(ids).toEqual(ids.map(() => ids[0]));
    answeredCalls.push({ addresses: call.addresses, ids: ids[0]! });
  }

  describe.each(MODES)('identified by: %s', (mode) => {
    it.each(STEPS_OF_DEATH.map((steps) => [steps.join(', then its retry at '), steps] as const))(
      'is accepted once after a kill at %s',
      (_, steps) => expectSameIds(callFor(mode, [...steps])),
    );

    it('can be retried at once if the log took nothing', async () => {
      const call = new NamedCall(`${mode}.refused`, mode, RECIPIENT_COUNT);
      injectFault('append:before', 'refuse');
      const { status, headers } = await sendLarge(call);
      expect([status, Number(headers.get('retry-after')) > 0]).toEqual([503, true]);
      await expectSameIds(call);
    });

    it('can be retried at once, with its first ids, if the append has an unknown outcome', async () => {
      const call = new NamedCall(`${mode}.doubtful`, mode, RECIPIENT_COUNT);
      injectFault('append:after', 'doubt');
      expect((await sendLarge(call)).status).toBe(503);
      await expectSameIds(call);
    });
  });

  it('keeps its ids from another contact, who is told that it was never answered', async () => {
    const call = callFor('ids', ['another-contact']);
    injectFault('claim:after', 'hold');
    const lost = expect(sendLarge(call)).rejects.toThrow('fetch failed');
    await waitFor(() => !existsSync(faultFile), 'a call at claim:after');
    await lettermill.stop('SIGKILL');
    await lost;
    await lettermill.start();
    const to = { contact_key: 'another-contact@example.com', external_message_id: call.ids[0] };
    const refused = await sendUntilFinal(call, () => lettermill.send({ campaign: 'order', to }));
    const [error] = problemOf(refused).errors;
    expect(error).toMatchObject({ code: 'external_message_id_taken', pointer: '/to/external_message_id' });
    expect(error!.detail).toMatch(/was never answered/);
    expect((await lettermill.message(error!.message_id!)).status).toBe(404);
    await expectSameIds(call);
    expect(answeredCalls.at(-1)!.ids[0]).toBe(error!.message_id);
  }, 120_000);

  it('is accepted once from the same contact with another content, and has the mail of the call that came first to the log', async () => {
    const address = 'same-contact@example.com';
    const callWith = (subject: string) => ({
      campaign: 'order',
      to: { contact_key: address, external_message_id: 'same-contact', message: { subject } },
    });
    injectFault('append:after', 'hold');
    const lost = expect(lettermill.send(callWith('First'))).rejects.toThrow('fetch failed');
    await waitFor(() => !existsSync(faultFile), 'a call at append:after');
    await lettermill.stop('SIGKILL');
    await lost;
    await lettermill.start();
    const call = callFor('ids', ['same-contact']);
    const { status } = await sendUntilFinal(call, () => lettermill.send(callWith('Second')));
    expect(status).toBe(202);
    // What the second call put on the log comes before this, as it is for the same contact.
    await lettermill.send({ campaign: 'order', to: address, message: { subject: 'Last' } });
    const subjects = () => [...new Set(sink.mailsTo(address).map(({ mail }) => mail.subject))];
    await waitFor(() => subjects().includes('Last'), 'the last mail');
    expect(subjects().sort()).toEqual(['First', 'Last']);
  }, 120_000);

  it('has each of its messages once, with the same mail', async () => {
    await waitUntilSeen(lettermill, 'last');
    const found = await lettermill.messages();
    for (const { addresses, ids } of answeredCalls) {
      const ours = found.filter(({ contact_key }) => addresses.includes((contact_key as { email: string }).email));
      expect(ours.map(({ message_id }) => message_id).sort()).toEqual(ids.toSorted());
      expect(new Set(ours.map(({ request_id }) => request_id)).size).toBe(1);
      // If the process dies between final dot and record, the same mail is repeated, never a different one made.
      const mails = () =>
        addresses.map((address) => new Set(sink.mailsTo(address).map(({ raw }) => raw.toString())).size);
      await waitFor(() => mails().every((count) => count > 0), `mails to ${addresses[0]} and others`);
      expect(mails()).toEqual(addresses.map(() => 1));
    }
    expect(answeredCalls).toHaveLength(MODES.length * (STEPS_OF_DEATH.length + 2) + 1);
  });
});
