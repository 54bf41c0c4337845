import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DkimInstallation, BOTH_PASS, newPrivateKey, type Domain } from './dkim.installation';
import { PROFILE, type Problem } from '../installations/lettermill';

describe('DKIM', () => {
  const dkim = DkimInstallation.installed();

  const recordsOf = ({ records }: Domain, use: string) => records.filter((record) => record.use === use);

  it('signs nothing until the records are found, and then everything', async () => {
    const { body } = await dkim.put('later.example');
    expect(await dkim.verifySignatures(await dkim.sendFrom('later.example'))).toEqual([]);
    dkim.publishRecords(body);
    await dkim.verify('later.example');
    expect(await dkim.verifySignatures(await dkim.sendFrom('later.example'))).toEqual(BOTH_PASS);
    expect((await dkim.lettermill.call('DELETE', '/v2/domains/later.example')).status).toBe(204);
    expect(await dkim.verifySignatures(await dkim.sendFrom('later.example'))).toEqual([]);
  });

  it('signs for the parent domain, unless the domain itself is set up', async () => {
    await dkim.setUp('above.example');
    const raw = await dkim.sendFrom('news.above.example');
    expect(await dkim.verifySignatures(raw)).toEqual(BOTH_PASS);
    expect(raw.toString('latin1')).toContain(' d=above.example;');
    await dkim.setUp('own.above.example');
    expect((await dkim.sendFrom('own.above.example')).toString('latin1')).toContain(' d=own.above.example;');
  });

  it('signs with a key of the caller, RSA alone and without verification if told so', async () => {
    const private_key = newPrivateKey();
    const { body } = await dkim.put('brought.example', {
      private_key,
      selector: 'own',
      ed25519: false,
      sign: 'always',
    });
    expect(body).toMatchObject({ status: 'pending', signing: true, sign: 'always' });
    dkim.publishRecords(body);
    expect(await dkim.verifySignatures(await dkim.sendFrom('brought.example'))).toEqual(BOTH_PASS.slice(0, 1));
    const other = await dkim.put<Problem>('brought.example', { private_key: newPrivateKey(), selector: 'own' });
    expect(other.body.errors).toEqual([expect.objectContaining({ pointer: '/selector', code: 'selector_taken' })]);
    expect(dkim.lettermill.output).not.toContain(private_key.split('\n')[3]);
  });

  it('rotates keys without sending a mail that cannot be verified', async () => {
    const before = await dkim.setUp('rotated.example');
    const { body: asked } = await dkim.put('rotated.example', { rotate: true });
    expect(recordsOf(asked, 'current')).toHaveLength(2);
    expect(recordsOf(asked, 'next')).toHaveLength(2);
    expect((await dkim.put('rotated.example', { rotate: true })).body).toEqual(asked);
    expect((await dkim.verify('rotated.example')).body).toMatchObject({ status: 'verified' });
    const selector = async () => / s=([^;]+);/.exec((await dkim.sendFrom('rotated.example')).toString('latin1'))![1];
    expect(await selector()).toBe(before.records[0]!.selector);
    dkim.publishRecords(asked);
    const { body: done } = await dkim.verify('rotated.example');
    expect([...new Set(done.records.map(({ use }) => use))]).toEqual(['current', 'retired']);
    expect(await selector()).toBe(recordsOf(asked, 'next')[0]!.selector);
    expect(await dkim.verifySignatures(await dkim.sendFrom('rotated.example'))).toEqual(BOTH_PASS);
  });

  it('defers mails that must be signed and cannot be', async () => {
    const { body } = await dkim.put('strict.example', { require: true });
    await dkim.lettermill.launch('strict', { from: 'shop@strict.example' });
    const { body: ack } = await dkim.lettermill.send({ campaign: 'strict', to: 'waits@example.org' });
    const id = ack.messages[0]!.message_id;
    const waits = await dkim.lettermill.until(id, 'deferred');
    expect(waits.reason).toMatchObject({ code: 'signing_failed' });
    expect(dkim.sink.mailsTo('waits@example.org')).toEqual([]);
    dkim.publishRecords(body);
    await dkim.verify('strict.example');
    await dkim.lettermill.until(id, 'sent');
    expect(await dkim.verifySignatures((await dkim.sink.firstMailTo('waits@example.org')).raw)).toEqual(BOTH_PASS);
  });

  describe('signatures verify on a received mail', () => {
    beforeAll(() => dkim.setUp('signed.example'));
    const file = (bytes: Buffer, file_name = 'a.bin') => ({
      attachment_type: 'file',
      file_name,
      data: bytes.toString('base64'),
    });
    it.each([
      ['with files', { attachments: [file(Buffer.alloc(100_000, '.\r\n')), file(Buffer.from('x'), 'Zoë.txt')] }],
      ['of ten megabytes', { attachments: [file(Buffer.alloc(9_900_000, 'lorem ipsum'))] }],
      ['with dots', { message: { text: '.\n..\n.a\n\n.' } }],
      ['with long lines', { message: { text: 'x'.repeat(5_000), html: `<p>${'ü '.repeat(3_000)}</p>` } }],
      ['that ends in empty lines', { message: { text: 'a \n\t\n\n\n\n' } }],
      [
        'with headers of its own',
        { message: { headers: { 'List-Unsubscribe': '<https://a.example/u>', 'X-A': 'ü' } } },
      ],
      ['with copies', { message: { cc: ['copy@example.org'], reply_to: 'help@signed.example' } }],
    ])('%s', async (_what, over) => {
      expect(await dkim.verifySignatures(await dkim.sendFrom('signed.example', over))).toEqual(BOTH_PASS);
    });

    it('to a UTF-8 address', async () => {
      expect(await dkim.verifySignatures(await dkim.sendFrom('signed.example', {}, 'jörg@example.org'))).toEqual(
        BOTH_PASS,
      );
    });

    it('from an internationalised domain', async () => {
      await dkim.setUp('grün.example');
      const raw = await dkim.sendFrom('grün.example');
      expect(await dkim.verifySignatures(raw)).toEqual(BOTH_PASS);
      expect(raw.toString('latin1')).toContain(' d=xn--grn-ioa.example;');
    });

    it('that is sent again with the same bytes after an unknown outcome', async () => {
      const slug = 'from-signed-example';
      const { body } = await dkim.lettermill.send({ campaign: slug, to: 'cutdot-dkim@example.org' });
      await dkim.lettermill.until(body.messages[0]!.message_id, 'sent');
      const copies = dkim.sink.mailsTo('cutdot-dkim@example.org');
      expect(copies).toHaveLength(2);
      expect(copies[0]!.raw).toEqual(copies[1]!.raw);
      expect(await dkim.verifySignatures(copies[1]!.raw)).toEqual(BOTH_PASS);
    });

    it('unless a signed header field was added to it', async () => {
      const raw = await dkim.sendFrom('signed.example');
      const bad = BOTH_PASS.map((verdict) => verdict.replace('pass', 'fail'));
      for (const field of [
        'From: evil@example.com',
        'Subject: Other',
        'To: b@example.org',
        'Reply-To: evil@example.com',
      ])
        expect(await dkim.verifySignatures(Buffer.concat([Buffer.from(`${field}\r\n`), raw]))).toEqual(bad);
      expect(await dkim.verifySignatures(Buffer.concat([Buffer.from('Received: from a by b; now\r\n'), raw]))).toEqual(
        BOTH_PASS,
      );
    });
  });

  it('writes no readable private key to its output or database', async () => {
    const { output } = dkim.lettermill;
    expect(output).not.toMatch(/PRIVATE KEY|MIIEv/);
    if (PROFILE !== 'embedded') return;
    const file = readFileSync(join(dkim.lettermill.dataDir, 'lettermill.db'));
    const log = readFileSync(join(dkim.lettermill.dataDir, 'lettermill.db-wal'));
    for (const bytes of [file, log]) expect(bytes.includes('PRIVATE KEY') || bytes.includes('MIIEv')).toBe(false);
  });

  it('signs with the same keys after a restart', async () => {
    await dkim.setUp('kept.example');
    await dkim.lettermill.stop();
    await dkim.lettermill.start();
    expect(await dkim.verifySignatures(await dkim.sendFrom('kept.example'))).toEqual(BOTH_PASS);
  });
});
