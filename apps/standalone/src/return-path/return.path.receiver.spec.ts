import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { readConfig } from '@lettermill/config';
import { MAX_REPORT_BYTES } from '../../../gateway/src/inbound/inbound.controller';
import { returnPathReceiver } from './return.path.receiver';

describe('a mail to the return path', () => {
  it('is passed on up to the size that is read, however large it is', async () => {
    const bodies: string[] = [];
    const dispatch = createServer((request, response) => {
      void text(request).then((body) => {
        bodies.push(body);
        response.end('{}');
      });
    }).listen(0, '127.0.0.1');
    await once(dispatch, 'listening');
    const { port } = dispatch.address() as AddressInfo;
    const variables = { DISPATCH_URL: `http://127.0.0.1:${port}`, INTERNAL_SECRET: 's'.repeat(32) };
    const receiver = returnPathReceiver(readConfig(variables, 'standalone'), Date.now);
    const mail = Buffer.alloc(2 * MAX_REPORT_BYTES, 'a line\r\n');
    await receiver.deliver('ops@example.com', mail);
    dispatch.close();
    const { raw, envelope_to } = JSON.parse(bodies[0]!) as { raw: string; envelope_to: string };
    expect(envelope_to).toBe('ops@example.com');
    expect(Buffer.from(raw, 'base64')).toEqual(mail.subarray(0, MAX_REPORT_BYTES));
  });
});
