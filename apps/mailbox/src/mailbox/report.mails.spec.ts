import { readReport } from '../../../dispatch/src/bounces/report.reader';
import { complaintReport, returnReport } from './report.mails';

const mail = {
  sender: 'bounce+abc@bounces.example',
  header: Buffer.from('Message-ID: <0000000000000000AB@shop.example>\r\nSubject: Hello\r\n'),
};
const stamp = { id: 'b-1', at: new Date('2026-03-05T09:59:59.200Z') };
const common = {
  originalMessageId: '<0000000000000000AB@shop.example>',
  returnPaths: [mail.sender],
  writtenAt: Date.parse('2026-03-05T10:00:00Z'),
};

it('a report of returned mail names all recipients, and the mail by its Message-ID', async () => {
  const recipients = ['returned@mailbox.invalid', 'returned+ä@mailbox.invalid'];
  const report = await readReport(returnReport(mail, recipients, stamp));
  const refused = { kind: 'bounce', hard: true, status: '5.1.1', reason: 'mailbox_unknown' };
  expect(report).toMatchObject({
    ...common,
    kind: 'bounce',
    recipients: recipients.map((address) => ({ ...refused, address })),
  });
});

it('a complaint names who complains, and the mail by its Message-ID', async () => {
  const report = await readReport(complaintReport(mail, 'complained@mailbox.invalid', stamp));
  expect(report).toMatchObject({
    ...common,
    kind: 'complaint',
    recipients: [{ address: 'complained@mailbox.invalid' }],
  });
});
