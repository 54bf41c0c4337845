import { createContext, Script } from 'node:vm';
import { READER_SCRIPT } from './page.reader';
import { ROWS_SCRIPT } from './page.rows';
import { LIST_SCRIPT } from './page.script';

type Page = Record<'choose' | 'leave', (id?: string) => void> & { hashchange: () => void };

/** Whatever is read of it or called is it again. */
const anything: object = new Proxy(function () {}, {
  get: (_, name) => (name === Symbol.toPrimitive ? () => '' : anything),
  apply: () => anything,
});

/** Runs the scripts without a page, in a window of this width. Its history has one entry, or two in a mail that was opened on a phone. */
function openPage(narrow: boolean) {
  const location = { hash: '', pathname: '/mailbox' };
  const entries: { state: unknown; hash: string }[] = [{ state: null, hash: '' }];
  const enter = (at: number, state: unknown, url: string) => {
    location.hash = url.startsWith('#') ? url : '';
    entries.splice(at, entries.length, { state, hash: location.hash });
  };
  const history = {
    get state() {
      return entries.at(-1)!.state;
    },
    pushState: (state: unknown, _: string, url: string) => enter(entries.length, state, url),
    replaceState: (state: unknown, _: string, url: string) => enter(entries.length - 1, state, url),
    back: () => {
      entries.pop();
      location.hash = entries.at(-1)!.hash;
      page.hashchange();
    },
  };
  const opened: string[] = [];
  const removed: string[] = [];
  const page = createContext({
    document: anything,
    Intl: anything,
    history,
    location,
    matchMedia: () => ({ matches: narrow }),
    fetch: (url: string, { method }: { method?: string } = {}) => {
      if (method === 'DELETE') removed.push(url.split('/').at(-1)!);
      return new Promise(() => undefined);
    },
    clearTimeout: () => undefined,
    addEventListener: (name: string, listener: () => void) => void (page[name as 'hashchange'] = listener),
  }) as unknown as Page;
  new Script([READER_SCRIPT, ROWS_SCRIPT, LIST_SCRIPT].join('\n')).runInContext(page as object);
  Object.assign(page, { loadMail: (id: string) => Promise.resolve(opened.push(id) > 0) });
  const run = (script: string) => void new Script(script).runInContext(page as object);
  return { page, history, location, entries, opened, removed, run };
}

describe('a mail that is removed', () => {
  const MAILS = "list.shown = [{ id: 'a' }, { id: 'b' }, { id: 'c' }];";

  it('gives way to the next', () => {
    const { run, opened, removed } = openPage(false);
    run(`${MAILS} reader.mail = { id: 'b' }; list.chosen = 'b'; removeShown();`);
    expect([removed, opened]).toEqual([['b'], ['c']]);
  });

  it('is the one that is shown, while another is loaded or cannot be', () => {
    const { run, opened, removed } = openPage(false);
    run(`${MAILS} reader.mail = { id: 'a' }; list.chosen = 'c'; removeShown();`);
    expect([removed, opened]).toEqual([['a'], []]);
  });
});

describe('the address of the page', () => {
  it('names the mail that is shown, without an entry in the history for each', () => {
    const { page, entries } = openPage(false);
    for (const id of ['a', 'b']) page.choose(id);
    expect(entries).toEqual([{ state: null, hash: '#b' }]);
    page.leave();
    expect(entries).toEqual([{ state: null, hash: '' }]);
  });

  it('chooses a mail when it is changed', () => {
    const { page, location, opened } = openPage(false);
    page.choose('a');
    location.hash = '#b';
    page.hashchange();
    expect(opened).toEqual(['a', 'b']);
  });

  it('on a phone, where a mail takes the place of the list, leads back to it', () => {
    const { page, history, entries, opened } = openPage(true);
    for (const id of ['a', 'b']) page.choose(id);
    expect(entries.map(({ hash }) => hash)).toEqual(['', '#b']);
    history.back();
    page.choose('c');
    page.leave();
    expect(entries.map(({ hash }) => hash)).toEqual(['']);
    expect(opened).toEqual(['a', 'b', 'c']);
  });
});

describe('the rows of the list', () => {
  /** A list of items that notes which are moved: those lose the focus, and the browser the place to which the list was scrolled. */
  class Items {
    children: Item[] = [];
    readonly touched: string[] = [];

    insertBefore(item: Item, next: Item | null): void {
      this.touched.push(item.name);
      this.children = this.children.filter((one) => one !== item);
      this.children.splice(next ? this.children.indexOf(next) : this.children.length, 0, item);
      item.list = this;
    }
  }
  class Item {
    list?: Items;
    constructor(readonly name: string) {}

    get nextElementSibling(): Item | null {
      return this.list!.children[this.list!.children.indexOf(this) + 1] ?? null;
    }

    remove(): void {
      this.list!.touched.push(this.name);
      this.list!.children = this.list!.children.filter((one) => one !== this);
    }
  }

  it('stay where they are when mails are added or removed', () => {
    const { placeRows } = openPage(false).page as unknown as { placeRows: (list: Items, items: Item[]) => void };
    const items = Object.fromEntries([...'abcdef'].map((name) => [name, new Item(name)]));
    const list = new Items();
    Object.defineProperty(list, 'firstElementChild', { get: () => list.children[0] ?? null });
    for (const [shown, touched] of [
      ['def', 'def'],
      ['abcdef', 'abc'],
      ['abdef', 'c'],
      ['', 'abdef'],
      ['bd', 'bd'],
      ['abcd', 'ac'],
    ] as const) {
      list.touched.splice(0);
      placeRows(
        list,
        [...shown].map((name) => items[name]!),
      );
      expect(list.children.map(({ name }) => name).join('')).toBe(shown);
      expect(list.touched.join('')).toBe(touched);
    }
  });
});
