import { Injectable, Logger } from '@nestjs/common';
import { isRetryable } from '@lettermill/concurrency';
import type { Mail } from '@lettermill/events';
import { MailContents } from '../mime/mail.contents';
import type { MailBody } from '../mime/mime.body';
import { composeMail } from '../mime/mime.composer';
import { countMail, signingFromZero } from '../dkim/dkim.metrics';
import { signMail } from '../dkim/dkim.sign';
import { SigningKeys, type Signers } from '../domains/signing.keys';

/** The domain requires a signature on every mail, and there is none. A later attempt may have one. */
export class SigningFailed extends Error {
  readonly code = 'signing_failed';
}

/** Mails as they are sent: composed, and signed if their domain has keys. */
@Injectable()
export class SignedMails {
  private readonly logger = new Logger('dispatch');

  constructor(
    private readonly contents: MailContents,
    private readonly keys: SigningKeys,
  ) {
    signingFromZero();
  }

  /**
   * The same mail gives the same bytes as long as its domain keeps its keys. Rejects with `ContentLost`, with `SigningFailed`, or as the
   * stores do; if signing fails, the mail is sent without a signature unless its domain requires one.
   */
  async compose(accountId: string, mail: Mail): Promise<MailBody> {
    const [loaded, signers] = await Promise.all([
      this.contents.load(accountId, mail),
      this.findSigners(accountId, mail.from.email),
    ]);
    const body = composeMail(loaded);
    if (signers.keys.length === 0) return this.withoutSignature(body, signers, { failed: signers.unreadable });
    try {
      const signed = await signMail(body, signers.keys, Date.parse(mail.date));
      countMail('signed');
      return signed;
    } catch (error) {
      this.logger.error(error);
      return this.withoutSignature(body, signers, { failed: true });
    }
  }

  /** If the keys cannot be read although the store answers, the mail waits: nobody knows whether its domain requires a signature. */
  private async findSigners(accountId: string, from: string): Promise<Signers> {
    try {
      return await this.keys.of(accountId, from);
    } catch (error) {
      if (isRetryable(error)) throw error;
      this.logger.error(error);
      countMail('failed');
      throw new SigningFailed('The keys of its domain cannot be read.');
    }
  }

  private withoutSignature(body: MailBody, { require }: Signers, { failed }: { failed: boolean }): MailBody {
    countMail(failed || require ? 'failed' : 'unsigned');
    if (!require) return body;
    throw new SigningFailed(
      failed ? 'The keys of its domain cannot be used.' : 'The records of its domain are not verified.',
    );
  }
}
