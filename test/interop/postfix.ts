import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, waitFor } from '../installations/lettermill';
import { selfSigned } from '../attachments/self.signed';

export const USER = 'lettermill@interop.test';
export const PASSWORD = 'p@ss w:rd/%';

/** The services (master.cf) of a queue that accepts and forwards mail by SMTP; none of them in a chroot. */
function masterCf(port: number, tlsPort: number): string {
  const daemon = (name: string, command = name, ...rest: string[]) =>
    `${name} unix - - n - - ${[command, ...rest].join(' ')}`;
  return [
    `127.0.0.1:${port} inet n - n - - smtpd`,
    `127.0.0.1:${tlsPort} inet n - n - - smtpd -o smtpd_tls_wrappermode=yes`,
    'postlog unix-dgram n - n - 1 postlogd',
    'cleanup unix n - n - 0 cleanup',
    'qmgr unix n - n 300 1 qmgr',
    'tlsmgr unix - - n 1000? 1 tlsmgr',
    'rewrite unix - - n - - trivial-rewrite',
    ...['bounce', 'defer', 'trace'].map((name) => `${name} unix - - n - 0 bounce`),
    'flush unix n - n 1000? 0 flush',
    'proxymap unix - - n - - proxymap',
    ...['smtp', 'relay', 'error', 'discard', 'anvil', 'scache', 'verify'].map((name) =>
      name === 'relay' ? daemon('relay', 'smtp') : daemon(name),
    ),
    'retry unix - - n - - error',
    '',
  ].join('\n');
}

function mainCf(directory: string, relayPort: number, more: string[]): string {
  const inside = (name: string) => join(directory, name);
  return [
    'compatibility_level = 3.6',
    `queue_directory = ${inside('queue')}`,
    `data_directory = ${inside('data')}`,
    `maillog_file = ${inside('log')}`,
    `maillog_file_prefixes = ${directory}`,
    'myhostname = postfix.interop.test',
    'mydestination =',
    'inet_protocols = ipv4',
    'inet_interfaces = 127.0.0.1',
    `relayhost = [127.0.0.1]:${relayPort}`,
    'smtp_dns_support_level = disabled',
    'smtp_host_lookup = native',
    'smtp_tls_security_level = none',
    // Mails pass unchanged: nothing is completed, dropped or folded.
    'local_header_rewrite_clients =',
    'message_drop_headers =',
    'smtp_line_length_limit = 0',
    'message_size_limit = 0',
    'default_process_limit = 20',
    'smtpd_client_connection_count_limit = 0',
    'alias_maps =',
    'local_recipient_maps =',
    `smtpd_tls_cert_file = ${inside('cert.pem')}`,
    `smtpd_tls_key_file = ${inside('key.pem')}`,
    'smtpd_tls_security_level = may',
    'smtpd_tls_session_cache_database =',
    'smtpd_tls_received_header = yes',
    ...more,
    '',
  ].join('\n');
}

const OPEN_TO_LOCALHOST = ['mynetworks = 127.0.0.0/8', 'smtpd_relay_restrictions = permit_mynetworks, reject'];

function passwordSettings(directory: string): string[] {
  const database = join(directory, 'sasldb2');
  const [user, realm] = USER.split('@') as [string, string];
  execFileSync('saslpasswd2', ['-p', '-c', '-f', database, '-u', realm, user], { input: PASSWORD });
  execFileSync('chown', ['postfix', database]);
  const sasl = [
    'pwcheck_method: auxprop',
    'auxprop_plugin: sasldb',
    `sasldb_path: ${database}`,
    'mech_list: PLAIN LOGIN',
  ];
  writeFileSync(join(directory, 'smtpd.conf'), `${sasl.join('\n')}\n`);
  return [
    'smtpd_sasl_auth_enable = yes',
    'smtpd_sasl_type = cyrus',
    `cyrus_sasl_config_path = ${directory}`,
    'smtpd_tls_auth_only = yes',
    'smtpd_sasl_security_options = noanonymous',
    `smtpd_sasl_local_domain = ${realm}`,
    'smtpd_relay_restrictions = permit_sasl_authenticated, reject',
    'mynetworks =',
  ];
}

/** A separate instance of Postfix, from the Debian package, that forwards all mail to `relayPort`. Needs root. */
export class Postfix {
  private constructor(
    readonly directory: string,
    readonly port: number,
    readonly tlsPort: number,
    readonly ca: Buffer,
    readonly caFile: string,
  ) {}

  static installed(): boolean {
    return spawnSync('postconf', ['-d', 'mail_version']).status === 0 && process.getuid?.() === 0;
  }

  /** `guarded`: it accepts mail only with a user name and password, and only over TLS. `more`: further lines of main.cf. */
  static async start(relayPort: number, guarded = false, more: string[] = []): Promise<Postfix> {
    const directory = mkdtempSync(join(tmpdir(), 'lettermill-postfix-'));
    chmodSync(directory, 0o755);
    for (const name of ['queue', 'data', 'sasl']) mkdirSync(join(directory, name));
    const [port, tlsPort] = [await freePort(), await freePort()];
    const { cert, certFile } = selfSigned(directory);
    writeFileSync(
      join(directory, 'main.cf'),
      mainCf(directory, relayPort, [
        ...(guarded ? passwordSettings(join(directory, 'sasl')) : OPEN_TO_LOCALHOST),
        ...more,
      ]),
    );
    writeFileSync(join(directory, 'master.cf'), masterCf(port, tlsPort));
    execFileSync('chown', ['postfix', join(directory, 'data')]);
    const postfix = new Postfix(directory, port, tlsPort, cert, certFile);
    postfix.command('start');
    await waitFor(() => postfix.log().includes('daemon started') || undefined, 'Postfix to start');
    return postfix;
  }

  log(): string {
    try {
      return readFileSync(join(this.directory, 'log'), 'utf8');
    } catch {
      return '';
    }
  }

  stop(): void {
    this.command('stop');
    rmSync(this.directory, { recursive: true, force: true });
  }

  private command(what: string): void {
    const { status, stderr } = spawnSync('postfix', ['-c', this.directory, what], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`postfix ${what} ended with ${status}: ${stderr}\n${this.log()}`);
  }
}
