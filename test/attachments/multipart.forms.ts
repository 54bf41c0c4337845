import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { API_KEY, type Ack, type Answer, type Lettermill, type Problem } from '../installations/lettermill';
import type { SmtpSink } from '../installations/smtp.sink';

/** Limit of the attachments of one message, in bytes. */
export const MAX_ATTACHMENT_BYTES = 10 * 1024 * 1024;

export type FormPart = [name: string, content: string | Buffer, options?: { filename?: string; type?: string }];

export const multipartBody = (parts: FormPart[]) =>
  Buffer.concat([
    ...parts.flatMap(([name, content, { filename, type } = {}]) => [
      Buffer.from(
        `--xXx\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}\r\n` +
          `${type ? `Content-Type: ${type}\r\n` : ''}\r\n`,
      ),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ]),
    Buffer.from('--xXx--\r\n'),
  ]);

export const jsonPart = (request: object): FormPart => [
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
    headers: { authorization: `Bearer ${API_KEY}`, 'content-type': contentType },
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

export const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

/** The attachments of the only mail to this address. */
export const attachmentsOf = async (sink: SmtpSink, address: string) =>
  (await sink.firstMailTo(address)).mail.attachments.map(({ filename, mimeType, content }) => ({
    filename,
    mimeType,
    sha: sha256(Buffer.from(content as ArrayBuffer)),
  }));
