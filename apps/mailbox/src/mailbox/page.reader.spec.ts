import { createContext, Script } from 'node:vm';
import { READER_SCRIPT } from './page.reader';

/** Runs the script without a page: what it requests and what it shows. */
function openReader(status: number, mail: object = {}) {
  const element = { addEventListener: () => undefined };
  const asked: string[] = [];
  const shown: unknown[] = [];
  const fetched = (url: string) => {
    asked.push(url);
    return Promise.resolve({ status, ok: status < 400, json: () => Promise.resolve(mail) });
  };
  const page = createContext({
    document: { getElementById: () => element },
    fetch: fetched,
    AbortController,
    Intl,
    URL,
  });
  new Script(READER_SCRIPT).runInContext(page);
  page.showMail = (one: unknown) => shown.push(one);
  const hasRemote = (html: string) => (new Script('REMOTE').runInContext(page) as RegExp).test(html);
  return {
    asked,
    shown,
    hasRemote,
    loadMail: page.loadMail as (id: string) => Promise<boolean>,
    beginningOf: page.beginningOf as (text: string, rest: string) => string,
    hiddenCopies: page.hiddenCopies as (mail: object) => string[],
    shownName: page.shownName as (fileName: string) => string,
  };
}

describe('the reader of the page', () => {
  it('shows a mail that exists', async () => {
    const { asked, shown, loadMail } = openReader(200, { subject: 'a' });
    expect(await loadMail('m1')).toBe(true);
    expect(asked).toEqual(['/mailbox/api/messages/m1']);
    expect(shown).toEqual([{ subject: 'a' }]);
  });

  it('distinguishes a mail that was removed from a server that is unavailable', async () => {
    const gone = openReader(404);
    expect(await gone.loadMail('m1')).toBe(false);
    const unavailable = openReader(503);
    await expect(unavailable.loadMail('m1')).rejects.toThrow('503');
    expect([...gone.shown, ...unavailable.shown]).toEqual([]);
  });

  it('shows the mail that was chosen last, whichever arrives first', async () => {
    const { shown, loadMail } = openReader(200, { subject: 'a' });
    await Promise.all([loadMail('m1'), loadMail('m2')]);
    expect(shown).toHaveLength(1);
  });

  it('shows only the beginning of a text that would keep the browser busy', () => {
    const { beginningOf } = openReader(200);
    expect(beginningOf('short', 'There is more.')).toBe('short');
    const cut = beginningOf('x'.repeat(5_000_000), 'There is more.');
    expect(cut.length).toBeLessThan(250_000);
    expect(cut).toMatch(/x\n\n… There is more\.$/);
  });

  it('tells hidden copies from recipients that the header spells in another way', () => {
    const { hiddenCopies } = openReader(200);
    const to = [{ email: 'Ada@xn--bcher-kva.example' }, { email: 'eve@a_b.example' }];
    const cc = [{ email: '"b@c"@xn--bcher-kva.example' }, { email: 'undisclosed' }, { email: 'x@a b' }];
    const named = ['ada@BÜCHER.example', 'eve@a_b.example', '"b@c"@bücher.example', 'undisclosed', 'x@a b'];
    const hidden = ['bob@bücher.example', 'ada@bucher.example', 'eve@a_b.example.org', '"b"@bücher.example'];
    expect(hiddenCopies({ to, cc, envelope: { to: [...named, ...hidden] } })).toEqual(hidden);
  });

  it('shows a file name with its real ending', () => {
    const { shownName } = openReader(200);
    expect(shownName('a\u202etxt.exe')).toBe('a_txt.exe');
    expect(shownName('résumé.pdf')).toBe('résumé.pdf');
  });

  it('offers to load only what its frame then allows: images by https', () => {
    const { hasRemote } = openReader(200);
    for (const html of [
      '<img src="https://a.example/b.png">',
      "<td background = 'https://a/b'>",
      'url( "https://a/b")',
    ])
      expect(hasRemote(html)).toBe(true);
    for (const html of ['<img src="http://a.example/b.png">', '<img src="data:,">', '<a href="https://a.example">'])
      expect(hasRemote(html)).toBe(false);
  });
});
