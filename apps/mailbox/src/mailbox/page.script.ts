import { READER_SCRIPT } from './page.reader';
import { ROWS_SCRIPT } from './page.rows';

/** The left pane: the list, refreshed every second while the page is visible; keyboard; clearing. */
export const LIST_SCRIPT = String.raw`
const POLL_INTERVAL_MS = 1000;
const RETRY_DELAY_MS = 4000;
const SEEN_KEY = 'mailbox.seen';
const ABOVE_LIST = 'above the list';
const NARROW = matchMedia('(max-width: 720px)');

const list = { mails: [], shown: [], chosen: null, tag: null, query: '', rows: new Map(), timer: 0, polling: false };

function loadSeen() {
  try {
    return new Set(JSON.parse(localStorage.getItem(SEEN_KEY) || '[]'));
  } catch {
    return new Set();
  }
}
const seen = loadSeen();

function markSeen(id) {
  seen.add(id);
  try {
    localStorage.setItem(SEEN_KEY, JSON.stringify(list.mails.map((mail) => mail.id).filter((one) => seen.has(one))));
  } catch {
    /* A browser without storage forgets; nothing else. */
  }
  const row = list.rows.get(id);
  if (row) row.classList.remove('fresh');
}

const matches = (mail, query) =>
  [mail.from, mail.from_name, mail.subject].concat(mail.to).some((text) => text.toLowerCase().includes(query));

function markChosen() {
  const { shown, chosen, rows } = list;
  const entry = shown.some((mail) => mail.id === chosen) ? chosen : shown.length > 0 ? shown[0].id : null;
  for (const [id, row] of rows) {
    row.tabIndex = id === entry ? 0 : -1;
    if (id === chosen) row.setAttribute('aria-current', 'true');
    else row.removeAttribute('aria-current');
  }
}

function render() {
  const query = list.query.trim().toLowerCase();
  list.shown = query ? list.mails.filter((mail) => matches(mail, query)) : list.mails;
  const ids = new Set(list.mails.map((mail) => mail.id));
  for (const id of list.rows.keys()) if (!ids.has(id)) list.rows.delete(id);
  placeRows(byId('mails'), list.shown.map(rowOf));
  markChosen();
  const { length } = list.mails;
  byId('none').hidden = length === 0 || list.shown.length > 0;
  const some = query ? list.shown.length + ' of ' : '';
  byId('count').textContent = length === 0 ? '' : some + length + (length === 1 ? ' mail' : ' mails');
  byId('clear').disabled = length === 0;
  byId('empty').hidden = length > 0;
  byId('panes').classList.toggle('is-empty', length === 0);
  document.title = (length === 0 ? '' : '(' + length + ') ') + 'Mailbox · Lettermill';
}

/* On a phone a mail takes the place of the list, and the browser leads back to it. */
function nameInAddress(id) {
  const address = '#' + id;
  if (location.hash === address) return;
  if (NARROW.matches && !list.chosen) history.pushState(ABOVE_LIST, '', address);
  else history.replaceState(history.state, '', address);
}

async function choose(id, focus) {
  nameInAddress(id);
  list.chosen = id;
  markChosen();
  const row = list.rows.get(id);
  if (row) row.scrollIntoView({ block: 'nearest' });
  if (row && focus === 'row') row.focus({ preventScroll: true });
  try {
    if (!(await loadMail(id))) return leave();
    markSeen(id);
    byId('panes').classList.add('reading');
    if (focus === 'mail' && NARROW.matches) byId('subject').focus();
  } catch (error) {
    if (error.name !== 'AbortError') setState('away');
  }
}

function leave() {
  list.chosen = null;
  byId('panes').classList.remove('reading');
  showNothing();
  markChosen();
  if (history.state === ABOVE_LIST) history.back();
  else history.replaceState(null, '', location.pathname);
}

function step(by) {
  if (list.shown.length === 0) return;
  const at = list.shown.findIndex((mail) => mail.id === list.chosen);
  const next = at < 0 ? 0 : Math.min(Math.max(at + by, 0), list.shown.length - 1);
  if (next !== at) choose(list.shown[next].id, 'row');
}

function setState(state) {
  const text = { live: 'Live', away: 'Lettermill does not answer' }[state];
  const place = byId('live');
  if (place.dataset.state === state) return;
  place.dataset.state = state;
  place.textContent = text;
}

/* A mail that was chosen meanwhile could not be loaded. */
function setLive() {
  const wasAway = byId('live').dataset.state === 'away';
  setState('live');
  if (wasAway && list.chosen && (!reader.mail || reader.mail.id !== list.chosen)) choose(list.chosen);
}

function updateList(mails, first) {
  const before = new Set(list.mails.map((mail) => mail.id));
  const added = mails.filter((mail) => !before.has(mail.id)).length;
  list.mails = mails;
  render();
  if (!first && added > 0) byId('announce').textContent = added === 1 ? '1 new mail' : added + ' new mails';
  if (list.chosen && !mails.some((mail) => mail.id === list.chosen)) leave();
  if (list.chosen || !first) return;
  const asked = location.hash.slice(1);
  if (mails.some((mail) => mail.id === asked)) choose(asked);
  else if (mails.length > 0 && !NARROW.matches) choose(mails[0].id);
  else showNothing();
}

async function poll() {
  clearTimeout(list.timer);
  if (document.hidden || list.polling) return;
  list.polling = true;
  let wait = POLL_INTERVAL_MS;
  try {
    const headers = list.tag ? { 'If-None-Match': list.tag } : {};
    const answer = await fetch(API, { cache: 'no-store', headers });
    /* The key is gone; the page asks for another. */
    if (answer.status === 401) return location.reload();
    if (answer.status !== 304) {
      if (!answer.ok) throw new Error(String(answer.status));
      const { data } = await answer.json();
      const first = list.tag === null;
      list.tag = answer.headers.get('etag');
      updateList(data, first);
    }
    setLive();
  } catch {
    setState('away');
    wait = RETRY_DELAY_MS;
  }
  list.polling = false;
  list.timer = setTimeout(poll, wait);
}

async function remove(path) {
  try {
    await fetch(API + path, { method: 'DELETE' });
  } catch {
    setState('away');
  }
  await poll();
}

/* Another mail may be chosen already that is still being loaded, or cannot be. */
function removeShown() {
  const { id } = reader.mail;
  if (id === list.chosen) giveWayToNext();
  remove('/' + id);
}

function giveWayToNext() {
  const at = list.shown.findIndex((mail) => mail.id === list.chosen);
  const next = list.shown[at + 1] || list.shown[at - 1];
  if (next && !NARROW.matches) choose(next.id, 'row');
  else leave();
}

byId('mails').addEventListener('click', (event) => {
  const row = event.target.closest('[data-id]');
  if (row) choose(row.dataset.id, 'mail');
});
byId('search').addEventListener('input', (event) => {
  list.query = event.target.value;
  render();
});
byId('back').addEventListener('click', leave);
byId('remove').addEventListener('click', removeShown);
byId('clear').addEventListener('click', () => {
  const count = list.mails.length;
  byId('confirm-text').textContent = (count === 1 ? 'The mail is' : 'All ' + count + ' mails are') + ' removed for good.';
  byId('confirm').showModal();
});
byId('confirm-no').addEventListener('click', () => byId('confirm').close());
byId('confirm-yes').addEventListener('click', () => {
  byId('confirm').close();
  remove('');
});
byId('copy').addEventListener('click', async () => {
  try {
    await navigator.clipboard.writeText(byId('command').textContent);
    byId('copy').textContent = 'Copied';
    setTimeout(() => { byId('copy').textContent = 'Copy'; }, 1500);
  } catch {
    getSelection().selectAllChildren(byId('command'));
  }
});

function escapeKey() {
  if (document.activeElement === byId('search')) {
    byId('search').value = list.query = '';
    byId('search').blur();
    render();
  } else if (NARROW.matches && list.chosen) leave();
  else if (list.rows.has(list.chosen)) list.rows.get(list.chosen).focus();
}

const KEYS = { j: () => step(1), k: () => step(-1), '/': () => byId('search').focus() };

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || byId('confirm').open) return;
  if (event.key === 'Escape') return escapeKey();
  if (event.target === byId('search')) return;
  const inList = event.target.closest('#mails');
  const act = KEYS[event.key] || (inList && { ArrowDown: KEYS.j, ArrowUp: KEYS.k }[event.key]);
  if (!act) return;
  event.preventDefault();
  act();
});
addEventListener('hashchange', () => {
  const asked = location.hash.slice(1);
  if (asked === (list.chosen || '')) return;
  if (asked) choose(asked, 'mail');
  else leave();
});
document.addEventListener('visibilitychange', () => { if (!document.hidden) poll(); });

byId('command').textContent = [
  'curl ' + (byId('command').dataset.api || location.origin) + '/v2/send/email \\',
  '  -H "Authorization: Bearer $KEY" \\',
  '  -H "Content-Type: application/json" \\',
  '  -d \'{"campaign":"welcome","to":"ada@example.com"}\'',
].join('\n');
poll();
`;

/** The whole script of the page; it defines no globals. */
export const PAGE_SCRIPT = `(() => {\n'use strict';\n${[READER_SCRIPT, ROWS_SCRIPT, LIST_SCRIPT].join('\n')}\n})();\n`;
