/** The rows of the list. Content of a mail is only ever set as text, never as html. */
export const ROWS_SCRIPT = String.raw`
const clockTime = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const shortDate = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });

function timeText(date) {
  return date.toDateString() === new Date().toDateString() ? clockTime.format(date) : shortDate.format(date);
}

function faceOf(mail) {
  const name = mail.from_name || mail.from || '?';
  const words = name.match(/[\p{L}\p{N}]+/gu) || ['?'];
  const letters = mail.from_name && words.length > 1 ? [words[0], words[words.length - 1]] : [words[0]];
  const face = make('span', 'face', letters.map((word) => [...word][0]).join('').toUpperCase());
  let hue = 0;
  for (const letter of mail.from) hue = (hue * 31 + letter.codePointAt(0)) % 360;
  face.style.setProperty('--hue', hue);
  face.setAttribute('aria-hidden', 'true');
  return face;
}

function rowOf(mail) {
  const known = list.rows.get(mail.id);
  if (known) return known.parentNode;
  const row = make('button', seen.has(mail.id) ? 'row' : 'row fresh');
  const date = new Date(mail.received_at);
  const time = make('time', '', timeText(date));
  time.dateTime = mail.received_at;
  time.title = wholeDate.format(date);
  row.type = 'button';
  row.tabIndex = -1;
  row.dataset.id = mail.id;
  row.append(faceOf(mail), make('span', 'who', mail.from_name || mail.from || '(nobody)'), time);
  row.append(make('span', 'what', mail.subject || '(no subject)'), make('span', 'to', 'to ' + mail.to.join(', ')));
  const item = make('li');
  item.append(row);
  list.rows.set(mail.id, row);
  return item;
}

/* Rows that stay are not moved: they would lose the focus, and the list the place to which it was scrolled. */
function placeRows(place, items) {
  const wanted = new Set(items);
  for (const item of [...place.children]) if (!wanted.has(item)) item.remove();
  let next = place.firstElementChild;
  for (const item of items) {
    if (item === next) next = item.nextElementSibling;
    else place.insertBefore(item, next);
  }
}
`;
