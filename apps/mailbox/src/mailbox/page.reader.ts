/** The right pane of the page: one mail. Content of a mail is only ever set as text, never as html. */
export const READER_SCRIPT = String.raw`
const API = '/mailbox/api/messages';
/* A browser breaks a line in a time that grows with its square: one of five million characters took Chromium minutes. */
const MAX_SHOWN_LENGTH = 200000;
/* Marks that change the direction of text can hide a file's real ending. */
const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const TABS = ['html', 'text', 'headers', 'source'];
/* Images by http stay out even then: through them a mail could reach devices in the local network. */
const REMOTE = /(?:src|srcset|background|poster)\s{0,9}=\s{0,9}["']?\s{0,9}https:|url\(\s{0,9}["']?https:/i;

const byId = (id) => document.getElementById(id);

function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

function sizeText(count) {
  if (count < 1024) return count + ' B';
  const kilo = count / 1024;
  return kilo < 1024 ? Math.round(kilo) + ' KB' : (kilo / 1024).toFixed(1) + ' MB';
}

function beginningOf(text, rest) {
  return text.length > MAX_SHOWN_LENGTH ? text.slice(0, MAX_SHOWN_LENGTH) + '\n\n… ' + rest : text;
}

function shownName(fileName) {
  return fileName.replace(DIRECTION_MARKS, '_');
}

const wholeDate = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' });

function dateText(value) {
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? value : wholeDate.format(date);
}

const reader = { mail: null, tab: 'html', remote: false, loading: null };

function addPerson(entry, mailbox, note) {
  if (entry.childNodes.length > 0) entry.append(', ');
  const address = mailbox.email;
  if (mailbox.name) entry.append(make('span', '', mailbox.name), ' ', make('span', 'address', '<' + address + '>'));
  else entry.append(make('span', '', address));
  if (note) entry.append(make('span', 'note', note));
}

function addLine(list, label, mailboxes, note) {
  if (mailboxes.length === 0) return;
  const entry = make('dd');
  for (const mailbox of mailboxes) addPerson(entry, mailbox, note);
  list.append(make('dt', '', label), entry);
}

/* A header has an international domain in A-labels (xn--…), an envelope may have its letters. */
function comparable(email) {
  const written = email.toLowerCase();
  const at = written.lastIndexOf('@') + 1;
  try {
    return written.slice(0, at) + new URL('http://' + written.slice(at)).hostname;
  } catch {
    return written;
  }
}

function hiddenCopies(mail) {
  const named = new Set(mail.to.concat(mail.cc).map((one) => comparable(one.email)));
  return mail.envelope.to.filter((email) => !named.has(comparable(email)));
}

function showPeople(mail) {
  const list = document.createDocumentFragment();
  addLine(list, 'From', mail.from ? [mail.from] : [{ email: mail.envelope.from || '(nobody)' }]);
  addLine(list, 'To', mail.to);
  addLine(list, 'Cc', mail.cc);
  addLine(list, 'Bcc', hiddenCopies(mail).map((email) => ({ email })), 'hidden copy');
  addLine(list, 'Reply to', mail.reply_to);
  const when = make('dd', '', dateText(mail.date || mail.received_at));
  when.append(make('span', 'note', sizeText(mail.size)));
  list.append(make('dt', '', 'Date'), when);
  byId('people').replaceChildren(list);
}

function showAttachments(mail) {
  const chips = mail.attachments.map((attachment) => {
    const link = make('a');
    link.href = API + '/' + mail.id + '/attachments/' + attachment.index;
    link.download = '';
    const name = shownName(attachment.file_name);
    link.title = name + ' · ' + attachment.content_type;
    link.append(make('span', 'name', name), make('span', 'size', sizeText(attachment.size)));
    const item = make('li');
    item.append(link);
    return item;
  });
  byId('attachments').replaceChildren(...chips);
  byId('attachments').hidden = chips.length === 0;
}

function showHeaders(mail) {
  const rows = mail.headers.map((header) => {
    const row = make('tr');
    const name = make('th', '', header.name);
    name.scope = 'row';
    row.append(name, make('td', '', header.value));
    return row;
  });
  byId('headers').replaceChildren(...rows);
}

/* A new frame each time: a changed src would add to the history of the window. */
function showFrame(mail) {
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-popups allow-popups-to-escape-sandbox');
  frame.title = 'The mail as html';
  frame.referrerPolicy = 'no-referrer';
  frame.src = API + '/' + mail.id + '/html' + (reader.remote ? '?remote=1' : '');
  byId('panel-html').replaceChildren(frame);
}

async function showSource(mail) {
  const place = byId('source');
  if (place.dataset.of === mail.id) return;
  place.dataset.of = mail.id;
  place.textContent = '';
  const answer = await fetch(API + '/' + mail.id + '/raw?view', { cache: 'no-store' });
  if (!answer.ok || place.dataset.of !== mail.id) return;
  const source = await answer.text();
  const rest = sizeText(mail.size) + ' in all: open it alone to see the rest.';
  if (place.dataset.of === mail.id) place.textContent = beginningOf(source, rest);
}

function chooseTab(name, focus) {
  reader.tab = name;
  for (const one of TABS) {
    const chosen = one === name;
    const tab = byId('tab-' + one);
    tab.setAttribute('aria-selected', String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
    byId('panel-' + one).hidden = !chosen;
    if (chosen && focus) tab.focus();
  }
  const { mail } = reader;
  byId('remote').hidden = name !== 'html' || reader.remote || !REMOTE.test(mail.html || '');
  if (name === 'source') showSource(mail).catch(() => { delete byId('source').dataset.of; });
}

const visibleTabs = () => TABS.filter((name) => !byId('tab-' + name).hidden);

function showMail(mail) {
  reader.mail = mail;
  reader.remote = false;
  byId('subject').textContent = mail.subject || '(no subject)';
  showPeople(mail);
  showAttachments(mail);
  showHeaders(mail);
  byId('tab-html').hidden = mail.html === null;
  byId('tab-text').hidden = mail.text === null && mail.html !== null;
  const text = mail.text ?? 'No text is found in this mail. Source shows all of it.';
  byId('text').textContent = beginningOf(text, 'The text is longer: Source has the whole mail.');
  byId('raw').href = API + '/' + mail.id + '/raw';
  byId('view').href = API + '/' + mail.id + '/raw?view';
  byId('source').textContent = '';
  delete byId('source').dataset.of;
  if (mail.html !== null) showFrame(mail);
  else byId('panel-html').replaceChildren();
  byId('mail').hidden = false;
  byId('pick').hidden = true;
  chooseTab(visibleTabs().includes(reader.tab) ? reader.tab : visibleTabs()[0]);
  for (const name of TABS) byId('panel-' + name).scrollTop = 0;
}

function showNothing() {
  reader.mail = null;
  if (reader.loading) reader.loading.abort();
  byId('mail').hidden = true;
  byId('pick').hidden = false;
  byId('panel-html').replaceChildren();
}

/* Whether the mail is still in the mailbox. */
async function loadMail(id) {
  if (reader.loading) reader.loading.abort();
  reader.loading = new AbortController();
  const { signal } = reader.loading;
  const answer = await fetch(API + '/' + id, { cache: 'no-store', signal });
  if (answer.status === 404) return false;
  if (!answer.ok) throw new Error(String(answer.status));
  const mail = await answer.json();
  if (!signal.aborted) showMail(mail);
  return true;
}

byId('tabs').addEventListener('click', (event) => {
  const tab = event.target.closest('[data-tab]');
  if (tab) chooseTab(tab.dataset.tab);
});

byId('tabs').addEventListener('keydown', (event) => {
  const names = visibleTabs();
  const at = names.indexOf(reader.tab);
  const next = { ArrowRight: at + 1, ArrowLeft: at - 1 + names.length, Home: 0, End: names.length - 1 }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  chooseTab(names[next % names.length], true);
});

byId('remote').addEventListener('click', () => {
  reader.remote = true;
  showFrame(reader.mail);
  byId('remote').hidden = true;
  byId('tab-html').focus();
});
`;
