import { generateKeyPairSync, sign } from 'node:crypto';

/** Enough of DER (X.690) to write one self-signed certificate (RFC 5280). */
const der = (tag: number, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  const length = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};
const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts);
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
const ECDSA_SHA256 = sequence(oid('2a8648ce3d040302'));
const COMMON_NAME = oid('550403');
const ALTERNATIVE_NAME = oid('551d11');

interface CertificateOptions {
  subject?: string;
  host?: string;
  /** From when to when it is valid, in years from now. */
  years?: [number, number];
}

/** A self-signed certificate, by default for `localhost` and valid now, with its key; both in PEM. */
export function selfSigned({ subject = 'localhost', host = 'localhost', years = [-1, 2] }: CertificateOptions = {}): {
  key: string;
  cert: string;
} {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(subject)))));
  const time = (year: number): Buffer => der(0x18, Buffer.from(`${year}0101000000Z`));
  const year = new Date().getUTCFullYear();
  const alternatives = sequence(der(0x82, Buffer.from(host)));
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ECDSA_SHA256,
    name,
    sequence(time(year + years[0]), time(year + years[1])),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(ALTERNATIVE_NAME, der(0x04, alternatives)))),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', toBeSigned, privateKey));
  const body = sequence(toBeSigned, ECDSA_SHA256, signature).toString('base64').replace(/.{64}/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`,
  };
}
