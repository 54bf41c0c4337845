import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DkimInstallation, GOOD, pem, type Domain } from './dkim.installation';
import { PROFILE, type Problem } from '../installations/lettermill';

describe('DKIM', () => {
  const at = DkimInstallation.installed();

  const of = ({ records }: Domain, use: string) => records.filter((record) => record.use === use);

  it('signs nothing until the records are found, and then everything', async () => {
    const { body } = await at.put('later.example');
    expect(await at.verdicts(await at.sent('later.example'))).toEqual([]);
    at.publish(body);
    await at.verify('later.example');
    expect(await at.verdicts(await at.sent('later.example'))).toEqual(GOOD);
    expect((await at.lettermill.call('DELETE', '/v2/domains/later.example')).status).toBe(204);
    expect(await at.verdicts(await at.sent('later.example'))).toEqual([]);
  });

  it('signs for the parent domain, unless the domain itself is set up', async () => {
    await at.ready('above.example');
    const raw = await at.sent('news.above.example');
    expect(await at.verdicts(raw)).toEqual(GOOD);
    expect(raw.toString('latin1')).toContain(' d=above.example;');
    await at.ready('own.above.example');
    expect((await at.sent('own.above.example')).toString('latin1')).toContain(' d=own.above.example;');
  });

  it('signs with a key of the caller, RSA alone and without verification if told so', async () => {
    const private_key = pem();
    const { body } = await at.put('brought.example', { private_key, selector: 'own', ed25519: false, sign: 'always' });
    expect(body).toMatchObject({ status: 'pending', signing: true, sign: 'always' });
    at.publish(body);
    expect(await at.verdicts(await at.sent('brought.example'))).toEqual(GOOD.slice(0, 1));
    const other = await at.put<Problem>('brought.example', { private_key: pem(), selector: 'own' });
    expect(other.body.errors).toEqual([expect.objectContaining({ pointer: '/selector', code: 'selector_taken' })]);
    expect(at.lettermill.output).not.toContain(private_key.split('\n')[3]);
  });

  it('rotates keys without sending a mail that cannot be verified', async () => {
    const before = await at.ready('rotated.example');
    const { body: asked } = await at.put('rotated.example', { rotate: true });
    expect(of(asked, 'current')).toHaveLength(2);
    expect(of(asked, 'next')).toHaveLength(2);
    expect((await at.put('rotated.example', { rotate: true })).body).toEqual(asked);
    expect((await at.verify('rotated.example')).body).toMatchObject({ status: 'verified' });
    const selector = async () => / s=([^;]+);/.exec((await at.sent('rotated.example')).toString('latin1'))![1];
    expect(await selector()).toBe(before.records[0]!.selector);
    at.publish(asked);
    const { body: done } = await at.verify('rotated.example');
    expect([...new Set(done.records.map(({ use }) => use))]).toEqual(['current', 'retired']);
    expect(await selector()).toBe(of(asked, 'next')[0]!.selector);
    expect(await at.verdicts(await at.sent('rotated.example'))).toEqual(GOOD);
  });

  it('defers mails that must be signed and cannot be', async () => {
    const { body } = await at.put('strict.example', { require: true });
    await at.lettermill.launch('strict', { from: 'shop@strict.example' });
    const { body: ack } = await at.lettermill.send({ campaign: 'strict', to: 'waits@example.org' });
    const id = ack.messages[0]!.message_id;
    const waits = await at.lettermill.until(id, 'deferred');
    expect(waits.reason).toMatchObject({ code: 'signing_failed' });
    expect(at.sink.to('waits@example.org')).toEqual([]);
    at.publish(body);
    await at.verify('strict.example');
    await at.lettermill.until(id, 'sent');
    expect(await at.verdicts((await at.sink.one('waits@example.org')).raw)).toEqual(GOOD);
  });

  describe('signatures verify on a received mail', () => {
    beforeAll(() => at.ready('signed.example'));
    const file = (bytes: Buffer, file_name = 'a.bin') => ({
      ...{ attachment_type: 'file', file_name, data: bytes.toString('base64') },
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
      expect(await at.verdicts(await at.sent('signed.example', over))).toEqual(GOOD);
    });

    it('to a UTF-8 address', async () => {
      expect(await at.verdicts(await at.sent('signed.example', {}, 'jörg@example.org'))).toEqual(GOOD);
    });

    it('from an internationalised domain', async () => {
      await at.ready('grün.example');
      const raw = await at.sent('grün.example');
      expect(await at.verdicts(raw)).toEqual(GOOD);
      expect(raw.toString('latin1')).toContain(' d=xn--grn-ioa.example;');
    });

    it('that is sent again with the same bytes after an unknown outcome', async () => {
      const slug = 'from-signed-example';
      const { body } = await at.lettermill.send({ campaign: slug, to: 'cutdot-dkim@example.org' });
      await at.lettermill.until(body.messages[0]!.message_id, 'sent');
      const copies = at.sink.to('cutdot-dkim@example.org');
      expect(copies).toHaveLength(2);
      expect(copies[0]!.raw).toEqual(copies[1]!.raw);
      expect(await at.verdicts(copies[1]!.raw)).toEqual(GOOD);
    });

    it('unless a signed header field was added to it', async () => {
      const raw = await at.sent('signed.example');
      const bad = GOOD.map((verdict) => verdict.replace('pass', 'fail'));
      for (const field of [
        'From: evil@example.com',
        'Subject: Other',
        'To: b@example.org',
        'Reply-To: evil@example.com',
      ])
        expect(await at.verdicts(Buffer.concat([Buffer.from(`${field}\r\n`), raw]))).toEqual(bad);
      expect(await at.verdicts(Buffer.concat([Buffer.from('Received: from a by b; now\r\n'), raw]))).toEqual(GOOD);
    });
  });

  it('writes no readable private key to its output or database', async () => {
    const { output } = at.lettermill;
    expect(output).not.toMatch(/PRIVATE KEY|MIIEv/);
    if (PROFILE !== 'embedded') return;
    const file = readFileSync(join(at.lettermill.dataDir, 'lettermill.db'));
    const log = readFileSync(join(at.lettermill.dataDir, 'lettermill.db-wal'));
    for (const bytes of [file, log]) expect(bytes.includes('PRIVATE KEY') || bytes.includes('MIIEv')).toBe(false);
  });

  it('signs with the same keys after a restart', async () => {
    await at.ready('kept.example');
    await at.lettermill.stop();
    await at.lettermill.start();
    expect(await at.verdicts(await at.sent('kept.example'))).toEqual(GOOD);
  });
});
