import type { MailBody } from '../mime/mime.body';

/** The whole mail at once. */
export const bytesOf = (mail: MailBody): Buffer => Buffer.concat([...mail.chunks()]);
