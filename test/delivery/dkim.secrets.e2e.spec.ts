import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DkimInstallation, GOOD } from './dkim.installation';

const [FIRST, SECOND, NONE] = ['1', '2', '0'].map((digit) => digit.repeat(32)) as [string, string, string];

describe('the secret that encrypts DKIM keys', () => {
  const directory = mkdtempSync(join(tmpdir(), 'dkim-secrets-'));
  const [file, former] = [join(directory, 'secret'), join(directory, 'former')];
  const tell = (secret: string, before: string) => {
    writeFileSync(file, secret);
    writeFileSync(former, before);
  };
  beforeAll(() => tell(FIRST, NONE));
  afterAll(() => rmSync(directory, { recursive: true }));
  const at = DkimInstallation.installed({ DKIM_KEY_SECRET_FILE: file, FORMER_DKIM_KEY_SECRET_FILE: former });

  const under = async (secret: string, before: string) => {
    await at.lettermill.stop();
    tell(secret, before);
    await at.lettermill.start();
  };

  it('can be changed and changed back without an unsigned mail', async () => {
    await at.ready('first.example');
    await under(SECOND, FIRST);
    expect(await at.verdicts(await at.sent('first.example'))).toEqual(GOOD);
    await at.ready('second.example');
    await under(FIRST, SECOND);
    for (const domain of ['first.example', 'second.example'])
      expect(await at.verdicts(await at.sent(domain))).toEqual(GOOD);
  });

  it('cannot decrypt older keys if the former secret is missing', async () => {
    await under(SECOND, NONE);
    expect(await at.verdicts(await at.sent('first.example'))).not.toEqual(GOOD);
    expect(await at.verdicts(await at.sent('second.example'))).toEqual(GOOD);
    expect(at.lettermill.output).toMatch(/_domainkey\.first\.example can't be decrypted/);
  });
});
