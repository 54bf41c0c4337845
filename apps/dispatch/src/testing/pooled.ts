import type { NextHop } from '@lettermill/config';
import { MailBody } from '../mime/mime.body';
import type { Envelope } from '../lifecycle/delivery';
import type { SmtpPoolOptions } from '../smtp/smtp.options';
import { SmtpPool } from '../hop/hop.pool';
import { Withdrawal } from '../smtp/smtp.withdrawal';
import { afterwards } from './test.servers';

export const hopAt = (port: number, over: Partial<NextHop> = {}): NextHop => ({
  host: '127.0.0.1',
  port,
  implicitTls: false,
  tls: 'off',
  auth: null,
  ...over,
});
export const to = (...names: string[]): Envelope => ({
  from: 'shop@example.com',
  to: names.map((name) => `${name}@example.com`),
  main: `${names[0]}@example.com`,
});
export const content = (text = 'Subject: a\r\n\r\nHello\r\n.dot\r\n'): MailBody => {
  const bytes = Buffer.from(text);
  return MailBody.of([bytes], bytes.length > text.length);
};
export const notWithdrawn = (): Withdrawal => new Withdrawal();

/** A pool for this test. */
export function pool(hop: NextHop, options: Partial<SmtpPoolOptions> = {}, now = Date.now): SmtpPool {
  const made = new SmtpPool(hop, now, options);
  afterwards(() => made.close());
  return made;
}
