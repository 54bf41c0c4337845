import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A key and a self-signed certificate for 127.0.0.1 and files.test; `certFile` is for NODE_EXTRA_CA_CERTS. */
export function selfSigned(directory: string): { key: Buffer; cert: Buffer; certFile: string } {
  const [keyFile, certFile] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
  const names = ['-subj', '/CN=files.test', '-addext', 'subjectAltName=DNS:files.test,IP:127.0.0.1'];
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', keyFile, '-out', certFile, '-days', '2'];
  execFileSync('openssl', [...made, ...names], { stdio: 'ignore' });
  return { key: readFileSync(keyFile), cert: readFileSync(certFile), certFile };
}
