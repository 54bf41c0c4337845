import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { KEY, type Ack, type Answer, type Lettermill, type Problem } from '../installations/lettermill';
import type { SmtpSink } from '../installations/smtp.sink';

/** Limit of the attachments of one message, in bytes. */
export const LIMIT = 10 * 1024 * 1024;

export type Part = [name: string, content: string | Buffer, options?: { filename?: string; type?: string }];

export const multipartBody = (parts: Part[], boundary = 'xXx', end = `--${boundary}--\r\n`) =>
  Buffer.concat([
    ...parts.flatMap(([name, content, { filename, type } = {}]) => [
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}\r\n` +
          `${type ? `Content-Type: ${type}\r\n` : ''}\r\n`,
      ),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ]),
    Buffer.from(end),
  ]);
export const json = (request: object): Part => [
  'json',
  JSON.stringify({ campaign: 'order', ...request }),
  { type: 'application/json' },
];

/** Makes the send call with exactly these bytes as a form. */
export async function postForm(
  { url }: Lettermill,
  body: Buffer,
  contentType = 'multipart/form-data; boundary=xXx',
): Promise<Answer<Ack & Problem>> {
  const answer = await fetch(`${url}/v2/send/email`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': contentType },
    body: new Uint8Array(body),
  });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Ack & Problem };
}

/** Draft files of uploads that are not complete yet; only visible if blobs are files. */
export const draftsOf = ({ dataDir }: Lettermill): string[] => {
  try {
    return readdirSync(join(dataDir, 'blobs', 'drafts'));
  } catch {
    return [];
  }
};

export const sha = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

/** The attachments of the only mail to this address. */
export const attachedTo = async (sink: SmtpSink, address: string) =>
  (await sink.one(address)).mail.attachments.map(({ filename, mimeType, content }) => ({
    filename,
    mimeType,
    sha: sha(Buffer.from(content as ArrayBuffer)),
  }));
