import { LEAST_FORWARDED_BODY_BYTES } from '../../../../libs/runtime/src/service/body.limit';
import type { OwnerCall } from '../owners/owner.client';
import { InboundController } from './inbound.controller';

const MIB = 1024 * 1024;

describe('a report of a bounce', () => {
  /** The body that dispatch is asked with. */
  async function forwarded(mail: Buffer): Promise<Buffer> {
    const asked: OwnerCall[] = [];
    const forward = { ask: (_owner: string, _request: object, call: OwnerCall) => asked.push(call), answer: () => {} };
    await new InboundController(forward as never).bounces({ body: mail } as never, {} as never);
    return asked[0]!.body!;
  }
  const mailIn = (body: Buffer) => Buffer.from((JSON.parse(body.toString()) as { raw: string }).raw, 'base64');

  it('is passed on byte by byte', async () => {
    const mail = Buffer.from([0, 255, 13, 10, 128]);
    expect(mailIn(await forwarded(mail))).toEqual(mail);
  });

  it('reaches dispatch however large it is, and whatever MAX_BODY_BYTES is: what comes first in it is passed on', async () => {
    const mail = Buffer.alloc(32 * MIB, 'x');
    const body = await forwarded(mail);
    expect(body.length).toBeLessThanOrEqual(LEAST_FORWARDED_BODY_BYTES);
    expect(mailIn(body)).toEqual(mail.subarray(0, MIB / 2));
  });
});
