/**
 * The gateway does not only pass bodies on as they came: a mail becomes base64 in JSON, a retry names the suppressed copies, and a launch
 * gets the files that it names by their addresses (10 MiB, 14 as base64) beside texts of 2 MiB, which escapes can make six times as long.
 * Such a body may be larger than MAX_BODY_BYTES, but not than this.
 */
export const LEAST_FORWARDED_BODY_BYTES = 32 * 1024 * 1024;

/** Bytes of the largest body that a server accepts. */
export function bodyLimitOf({ maxBodyBytes, behindGateway }: { maxBodyBytes: number; behindGateway: boolean }): number {
  return behindGateway ? Math.max(maxBodyBytes, LEAST_FORWARDED_BODY_BYTES) : maxBodyBytes;
}
