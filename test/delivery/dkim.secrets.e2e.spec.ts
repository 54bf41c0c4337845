import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DkimInstallation, BOTH_PASS, type Domain } from './dkim.installation';

const [FIRST, SECOND, UNRELATED] = ['1', '2', '0'].map((digit) => digit.repeat(32)) as [string, string, string];

describe('the secret that encrypts DKIM keys', () => {
  const directory = mkdtempSync(join(tmpdir(), 'dkim-secrets-'));
  const [secretFile, formerSecretFile] = [join(directory, 'secret'), join(directory, 'former')];
  const writeSecrets = (secret: string, before: string) => {
    writeFileSync(secretFile, secret);
    writeFileSync(formerSecretFile, before);
  };
  beforeAll(() => writeSecrets(FIRST, UNRELATED));
  afterAll(() => rmSync(directory, { recursive: true }));
  const dkim = DkimInstallation.installed({
    DKIM_KEY_SECRET_FILE: secretFile,
    FORMER_DKIM_KEY_SECRET_FILE: formerSecretFile,
  });

  const restartWith = async (secret: string, before: string) => {
    await dkim.lettermill.stop();
    writeSecrets(secret, before);
    await dkim.lettermill.start();
  };

  it('can be changed and changed back without an unsigned mail', async () => {
    await dkim.setUp('first.example');
    await restartWith(SECOND, FIRST);
    expect(await dkim.verifySignatures(await dkim.sendFrom('first.example'))).toEqual(BOTH_PASS);
    await dkim.setUp('second.example');
    await restartWith(FIRST, SECOND);
    for (const domain of ['first.example', 'second.example'])
      expect(await dkim.verifySignatures(await dkim.sendFrom(domain))).toEqual(BOTH_PASS);
  });

  it('cannot decrypt older keys if the former secret is missing', async () => {
    await restartWith(SECOND, UNRELATED);
    expect(await dkim.verifySignatures(await dkim.sendFrom('first.example'))).not.toEqual(BOTH_PASS);
    expect(await dkim.verifySignatures(await dkim.sendFrom('second.example'))).toEqual(BOTH_PASS);
    const signing = async (domain: string) =>
      (await dkim.lettermill.call<Domain>('GET', `/v2/domains/${domain}`)).body.signing;
    expect([await signing('first.example'), await signing('second.example')]).toEqual([false, true]);
    expect(dkim.lettermill.output).toMatch(/_domainkey\.first\.example can't be decrypted/);
  });
});
