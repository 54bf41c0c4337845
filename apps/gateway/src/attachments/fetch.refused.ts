import type { FaultCode } from '@lettermill/problems';

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

export const failed = (message: string) => new FetchRefused('attachment_fetch_failed', message);
export const refused = (message: string) => new FetchRefused('attachment_address_refused', message);
