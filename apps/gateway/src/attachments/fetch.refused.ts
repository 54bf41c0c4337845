import type { Fault, FaultCode } from '@lettermill/problems';

/** A refusal with the code of its fault, and a text that reveals nothing about our network. */
export class FetchRefused extends Error {
  constructor(
    readonly code: Extract<
      FaultCode,
      'attachment_fetch_failed' | 'attachment_address_refused' | 'attachments_too_large'
    >,
    message: string,
  ) {
    super(message);
  }
}

/** The fault of the attachment at `pointer`, whose address was refused. */
export const faultOfUrl = (pointer: string, { code, message }: Pick<FetchRefused, 'code' | 'message'>): Fault => ({
  pointer: `${pointer}/data`,
  code,
  detail: message,
});

export const failed = (message: string) => new FetchRefused('attachment_fetch_failed', message);
export const refused = (message: string) => new FetchRefused('attachment_address_refused', message);
