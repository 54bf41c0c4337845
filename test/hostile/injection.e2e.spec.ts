import { domainToASCII } from 'node:url';
import { decodeWords } from 'postal-mime';
import { FIELDS, INJECTIONS } from './injection.fields';
import { installedWithSink } from '../installations/installed';
import type { Message } from '../installations/lettermill';
import type { ReceivedMail } from '../installations/smtp.sink';

const MAX_CONCURRENT_ATTACKS = 8;
/** The header fields of every mail in their order; those that a request may add are optional at their places. */
const HEADER_ORDER =
  /^From,To,(Cc,)?(Reply-To,)?Subject,Date,Message-ID,(In-Reply-To,(References,)?)?(GIVEN,)*MIME-Version,Content-Type(,Content-Transfer-Encoding|,Content-Disposition)*$/;

const RESTRICTED_HEADERS = /^(bcc|reply-to|content-type)$/i;

interface AcceptedAttack {
  what: string;
  request: Record<string, unknown>;
  id: string;
}
type MessageDetails = { cc?: GivenAddress[]; bcc?: GivenAddress[]; headers?: Record<string, string> };
type GivenAddress = string | { email: string };

const emailOf = (given: GivenAddress): string => (typeof given === 'string' ? given : given.email);

/** The address that the mail to a recipient goes to; undefined if only the contact has it. */
function mainRecipientOf(to: unknown): string | undefined {
  if (typeof to === 'string') return to;
  const { email, email_address: address, contact_key: key } = to as Record<string, GivenAddress | undefined>;
  const given = address ?? key ?? email;
  return given === undefined || (typeof given === 'object' && !given.email) ? undefined : emailOf(given);
}

function asciiDomain(address: string): string {
  const at = address.lastIndexOf('@');
  return address.slice(0, at + 1) + domainToASCII(address.slice(at + 1));
}

const localPartsOf = ({ to, message = {} }: Record<string, unknown>): string => {
  const { cc = [], bcc = [], reply_to: reply = '' } = message as MessageDetails & { reply_to?: GivenAddress };
  return [mainRecipientOf(to) ?? '', ...[...cc, ...bcc, reply].map(emailOf)]
    .map((one) => one.slice(0, one.lastIndexOf('@')))
    .join();
};
const headOf = (raw: Buffer): string => raw.toString('latin1').split('\r\n\r\n')[0]!;
const normalizedLines = (text = ''): string => text.replace(/\r\n|\r|\n/g, '\n').trimEnd();

describe('header injection', () => {
  const accepted: AcceptedAttack[] = [];
  const refused: string[] = [];
  const { sink, lettermill } = installedWithSink({ RATE_LIMIT: '0', RETRY_DELAYS: '1' });
  beforeAll(async () => {
    await lettermill.launch('order', { html: '<p>Hello</p>' });
    const all = '{{ evil }}{{ profile.evil }}{% for one in evil %}{{ one }}{% endfor %}';
    const subject = `${all}|{{ evil | append: evil | truncate: 100 }}`;
    await lettermill.launch('echo', { subject, text: all, html: `<p title="${all}">{{ evil | raw }}</p>` });
  });

  const attack = async ([field, make]: [string, (text: string, to: string) => object], index: number) => {
    for (const [kind, text] of Object.entries(INJECTIONS)) {
      const what = `${field}: ${kind}`;
      const request = { campaign: 'order', ...make(text, `safe-${index}@example.com`) };
      const { status, body } = await lettermill.send(request);
      if (status !== 202) {
        expect([what, status]).toEqual([what, 422]);
        refused.push(what);
        continue;
      }
      for (const { message_id: id } of body.messages) accepted.push({ what, request, id });
    }
  };

  it('gets 422 or 202 for each text in each field', async () => {
    const fields = Object.entries(FIELDS).entries();
    const work = async () => {
      for (const [index, field] of fields) await attack(field, index);
    };
    await Promise.all(Array.from({ length: MAX_CONCURRENT_ATTACKS }, work));
    expect(accepted.length + refused.length).toBe(Object.keys(FIELDS).length * Object.keys(INJECTIONS).length);
    expect(accepted.length).toBeGreaterThan(300);
    expect(refused.length).toBeGreaterThan(300);
  });

  it('by a line break is refused in every field of one line', () => {
    const bodies = /^(text|html|content of a file|metadata|name of profile data|profile data|name of metadata)/;
    const broken = Object.entries(INJECTIONS).filter(([, text]) => /[\r\n\u0000\u2028\u2029]/.test(text));
    const taken = accepted.filter(({ what }) => !bodies.test(what)).map(({ what }) => what);
    for (const [kind] of broken) expect(taken.filter((what) => what.endsWith(`: ${kind}`))).toEqual([]);
  });

  describe('in received mails', () => {
    const mails = new Map<string, ReceivedMail[]>();

    it('leaves exactly one mail for each message that was accepted', async () => {
      const ends = new Set<string>();
      for (const { id, what } of accepted) {
        const message: Message = await lettermill.until(id, 'sent', 'failed', 'bounced');
        if (message.state === 'sent') mails.set(id, []);
        // The template fails with its data, or the key has no address: nothing was sent, and the reason says why.
        else expect([what, message.reason]).toEqual([what, { code: expect.any(String), detail: expect.any(String) }]);
        ends.add(message.state);
      }
      expect(ends).toEqual(new Set(['sent', 'failed']));
      for (const mail of sink.mails)
        mails.get(/^<(\w{18})@shop\.example>$/.exec(mail.mail.messageId ?? '')![1]!)!.push(mail);
      expect(
        [...mails].filter(([, { length }]) => length !== 1).map(([id]) => accepted.find((one) => one.id === id)!.what),
      ).toEqual([]);
      expect(sink.mails).toHaveLength(mails.size);
    }, 180_000);

    const expectEach = (
      judge: (mail: ReceivedMail, sent: AcceptedAttack) => unknown,
      expected: (sent: AcceptedAttack) => unknown,
    ) => {
      for (const sent of accepted) {
        const [mail] = mails.get(sent.id) ?? [];
        if (mail) expect([sent.what, judge(mail, sent)]).toEqual([sent.what, expected(sent)]);
      }
    };

    it('adds nobody to the envelope', () => {
      const named = ({ request }: AcceptedAttack) => {
        const { cc = [], bcc = [] } = (request.message ?? {}) as MessageDetails;
        return [mainRecipientOf(request.to), ...[...cc, ...bcc].map(emailOf)]
          .flatMap((one) => (one ? [asciiDomain(one)] : []))
          .sort();
      };
      expectEach(
        ({ to }) => [...to].sort(),
        (sent) => (mainRecipientOf(sent.request.to) ? named(sent) : expect.any(Array)),
      );
      expect(new Set(sink.mails.map(({ from }) => from))).toEqual(new Set(['billing@shop.example']));
      const reached = sink.mails.flatMap(({ to }) => to).filter((address) => address.endsWith('@evil.example'));
      expect(reached).toEqual([]);
    });

    it('adds or repeats no header', () => {
      const given = ({ request }: AcceptedAttack) =>
        Object.keys(((request.message ?? {}) as MessageDetails).headers ?? {}).filter(
          (name) => !RESTRICTED_HEADERS.test(name),
        );
      const names = ({ raw }: ReceivedMail, sent: AcceptedAttack) => {
        const own = new Set(given(sent));
        const written = headOf(raw)
          .replace(/\r\n[ \t]/g, ' ')
          .split('\r\n');
        const found = written.map((line) => line.slice(0, line.indexOf(':')));
        expect([sent.what, new Set(found).size]).toEqual([sent.what, found.length]);
        return found.map((name) => (own.has(name) ? 'GIVEN' : name)).join();
      };
      expectEach(names, () => expect.stringMatching(HEADER_ORDER));
    });

    it('leaves lines of 998 octets at most that end in CR LF, and an ASCII head but for UTF-8 local parts', () => {
      const flaws = ({ raw }: ReceivedMail, { request }: AcceptedAttack) => {
        const text = raw.toString('latin1');
        const utf8 = /[^\u0000-\u007f]/.test(localPartsOf(request));
        return {
          bare: /[\r\n\u0000]/.test(text.replaceAll('\r\n', '')),
          long: text.split('\r\n').some(({ length }) => length > 998),
          eightBit: !utf8 && /[^\u0000-\u007f]/.test(headOf(raw)),
        };
      };
      expectEach(flaws, () => ({ bare: false, long: false, eightBit: false }));
    });

    it('changes no subject, header, body or file', async () => {
      for (const sent of accepted) {
        const [mail] = mails.get(sent.id) ?? [];
        if (!mail) continue;
        const { subject, text, headers } = (sent.request.message ?? {}) as Record<string, string | undefined> &
          MessageDetails;
        const { mail: read } = mail;
        const files = ((sent.request.attachments ?? []) as { data: string }[]).map(({ data }) =>
          Buffer.from(data, 'base64'),
        );
        const bytes = read.attachments.map(({ content }) => Buffer.from(content as ArrayBuffer));
        // An attached mail is sent as lines, not as octets.
        const shown = (contents: Buffer[]) => contents.map((content) => normalizedLines(content.toString('latin1')));
        expect([sent.what, shown(bytes)]).toEqual([sent.what, shown(files)]);
        if (subject !== undefined && !subject.includes('{'))
          expect([sent.what, (read.subject ?? '').trim()]).toEqual([sent.what, subject.trim()]);
        if (text !== undefined && !text.includes('{'))
          expect([sent.what, normalizedLines(read.text)]).toEqual([sent.what, normalizedLines(text)]);
        const given = headers?.['X-Given'];
        if (given !== undefined) {
          const found = read.headers
            .filter(({ key }) => key === 'x-given')
            .map(({ value }) => decodeWords(value).trim());
          expect([sent.what, found]).toEqual([sent.what, [given.trim()]]);
        }
      }
    });
  });
});
