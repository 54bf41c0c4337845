import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { selfSigned } from '../attachments/self.signed';
import { installedWithSink } from '../installations/installed';
import { waitFor, type Ack, type Answer } from '../installations/lettermill';
import { idsOf, problemOf } from './named.calls';

describe('a call whose process was killed when its messages were on the log', () => {
  const directory = mkdtempSync(join(tmpdir(), 'lettermill-unanswered-'));
  const faultFile = join(directory, 'fault');
  const tls = selfSigned(directory);
  let fileServer: Server;
  let expired = false;
  const { sink, lettermill } = installedWithSink(() => ({
    RETRY_DELAYS: '1,1,1',
    ATTACHMENT_FETCH_ALLOW: '127.0.0.1/32',
    NODE_EXTRA_CA_CERTS: tls.certFile,
    NODE_OPTIONS: `--import ${join(__dirname, 'step.faults.mjs')}`,
    STEP_FAULT_FILE: faultFile,
  }));
  beforeAll(async () => {
    fileServer = createServer(tls, (_request, response) => response.writeHead(expired ? 403 : 200).end('PDF'));
    await once(fileServer.listen(0, '127.0.0.1'), 'listening');
    await lettermill.launch('order');
  });
  afterAll(() => {
    fileServer.closeAllConnections();
    fileServer.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const bodyTo = (to: unknown) => ({
    campaign: 'order',
    to,
    attachments: [
      {
        attachment_type: 'url',
        file_name: 'a.pdf',
        data: `https://127.0.0.1:${(fileServer.address() as AddressInfo).port}/order.pdf`,
      },
    ],
  });
  const sendUntilFinal = async (body: unknown, headers: Record<string, string>): Promise<Answer<Ack>> => {
    for (;;) {
      const answer = await lettermill.send(body, headers);
      if (answer.status !== 409) return answer;
      await pause(1000 * Number(answer.headers.get('retry-after')));
    }
  };
  async function lose(body: unknown, headers: Record<string, string>): Promise<void> {
    expired = false;
    writeFileSync(faultFile, 'hold append:after');
    const lost = expect(lettermill.send(body, headers)).rejects.toThrow('fetch failed');
    await waitFor(() => !existsSync(faultFile), 'a call at append:after');
    await lettermill.stop('SIGKILL');
    await lost;
    await lettermill.start();
    expired = true;
  }

  /** The process may have been killed while it sent the mail, which then goes again: that is on record. No call made another one. */
  async function expectOneMail(address: string, messageId: string): Promise<void> {
    await pause(3000);
    const { attempts } = (await lettermill.message(messageId)).body;
    const unknown = attempts.filter(({ outcome }) => outcome === 'unknown');
    const sent = sink.mailsTo(address).map(({ mail }) => mail.messageId);
    expect(sent.length).toBeLessThanOrEqual(1 + unknown.length);
    expect(new Set(sent)).toEqual(new Set([expect.stringContaining(messageId)]));
  }

  it('names its messages to all that cannot take its place, until one can', async () => {
    const headers = { 'idempotency-key': 'order-77' };
    const address = 'order-77@example.com';
    const body = bodyTo(address);
    await lose(body, headers);
    await waitFor(() => sink.mailsTo(address).length > 0, 'the mail');
    const told = [
      await sendUntilFinal(body, headers),
      await sendUntilFinal({ campaign: 'order', to: address }, headers),
      await sendUntilFinal(body, headers),
    ];
    expect(told.map((one) => problemOf(one).code)).toEqual(Array(3).fill('earlier_call_unanswered'));
    const ids = told.map((one) => problemOf(one).errors.flatMap(({ message_id }) => message_id ?? []));
    expect(ids).toEqual(ids.map(() => [expect.any(String)]));
    await lettermill.until(ids[0]![0]!, 'sent');
    expired = false;
    const accepted = await sendUntilFinal(body, headers);
    expect([accepted.status, idsOf(accepted.body)]).toEqual([202, ids[0]]);
    const replayed = await sendUntilFinal(body, headers);
    expect(replayed.body).toEqual(accepted.body);
    await expectOneMail(address, ids[0]![0]!);
  });

  it('with ids of its own, is continued by a corrected call', async () => {
    const to = { contact_key: 'ids@example.com', external_message_id: 'ids-1' };
    await lose(bodyTo(to), {});
    await waitFor(() => sink.mailsTo('ids@example.com').length > 0, 'the mail');
    const refused = await sendUntilFinal(bodyTo(to), {});
    const { code, errors } = problemOf(refused);
    expect([code, errors[0]!.code]).toEqual(['earlier_call_unanswered', 'perhaps_accepted']);
    const accepted = await sendUntilFinal({ campaign: 'order', to }, {});
    expect([accepted.status, idsOf(accepted.body)]).toEqual([202, [errors[0]!.message_id]]);
    await expectOneMail('ids@example.com', errors[0]!.message_id!);
  });
});
