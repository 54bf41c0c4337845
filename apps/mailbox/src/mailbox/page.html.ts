export interface PageParts {
  /** The SMTP address for other programs, as it is shown. */
  smtp: string;
  /** Address of the API for the first mail, if it is not that of the page. */
  apiUrl?: string;
  /** File names below /mailbox/, with the tag of their content. */
  style: string;
  script: string;
}

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='8' fill='%23236b57'/%3E%3Cpath d='M7 11h18v11H7z M7 11l9 7 9-7' fill='none' stroke='%23fff' stroke-width='2' stroke-linejoin='round'/%3E%3C/svg%3E";

const glyph = (path: string, size = 18): string =>
  `<svg class="glyph" width="${size}" height="${size}" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${path}</svg>`;

const ENVELOPE = '<path d="M3 6.5h18v12H3z"/><path d="m3 7 9 7 9-7"/>';
const LENS = '<circle cx="11" cy="11" r="6.5"/><path d="m16 16 4.5 4.5"/>';
const BIN = '<path d="M4 7h16M9 7V4.5h6V7M6.5 7l1 13h9l1-13M10 11v5.5M14 11v5.5"/>';
const BACK = '<path d="m14.5 5-7 7 7 7"/>';

const tab = (name: string, label: string): string =>
  `<button type="button" role="tab" id="tab-${name}" aria-controls="panel-${name}" data-tab="${name}">${label}</button>`;

const panel = (name: string, content = ''): string =>
  `<div role="tabpanel" id="panel-${name}" class="panel panel-${name}" aria-labelledby="tab-${name}" tabindex="0" hidden>${content}</div>`;

const HEADER = `
<header class="bar">
  <h1 class="brand">${glyph(ENVELOPE, 22)}<span>Mailbox</span></h1>
  <p class="count" id="count"></p>
  <label class="search">
    ${glyph(LENS, 16)}
    <input id="search" type="search" placeholder="Search" autocomplete="off" spellcheck="false"
      aria-label="Search by sender, recipient or subject" aria-keyshortcuts="/">
    <kbd aria-hidden="true">/</kbd>
  </label>
  <p class="live" id="live" role="status">Connecting</p>
  <button type="button" class="quiet" id="clear" disabled>${glyph(BIN)}<span>Clear</span></button>
</header>`;

const emptyBox = ({ smtp, apiUrl = '' }: PageParts): string => `
<section class="empty" id="empty" aria-labelledby="empty-title" hidden>
  <div class="medal">${glyph(ENVELOPE, 36)}</div>
  <h2 id="empty-title">No mail yet</h2>
  <p>Whatever Lettermill sends is caught here; nothing leaves this machine. Send your first mail, it appears by itself:</p>
  <div class="command">
    <pre id="command" data-api="${apiUrl}" tabindex="0" aria-label="Command that sends a first mail"></pre>
    <button type="button" class="quiet" id="copy">Copy</button>
  </div>
  <p class="hint">The start of Lettermill printed this command with your API key in it. Other programs may send here, too:
  <code>${smtp}</code></p>
</section>`;

const MAIL = `
<article class="mail" id="mail" aria-labelledby="subject" hidden>
  <div class="head">
    <div class="title">
      <button type="button" class="quiet back" id="back" aria-label="Back to the list">${glyph(BACK)}</button>
      <h2 id="subject" tabindex="-1"></h2>
      <button type="button" class="quiet" id="remove" aria-label="Remove this mail" title="Remove this mail">${glyph(BIN)}</button>
    </div>
    <dl class="people" id="people"></dl>
    <ul class="chips" id="attachments" aria-label="Attachments" hidden></ul>
  </div>
  <div class="tabs">
    <div role="tablist" aria-label="Views of the mail" id="tabs">
      ${tab('html', 'HTML')}${tab('text', 'Text')}${tab('headers', 'Headers')}${tab('source', 'Source')}
    </div>
    <button type="button" class="quiet" id="remote" hidden>Load remote images</button>
  </div>
  ${panel('html')}
  ${panel('text', '<pre id="text"></pre>')}
  ${panel('headers', '<table><caption class="unseen">Headers</caption><tbody id="headers"></tbody></table>')}
  ${panel('source', '<p class="tools"><a id="raw" download>Download .eml</a><a id="view" target="_blank" rel="noopener">Open alone</a></p><pre id="source"></pre>')}
</article>`;

const CONFIRM = `
<dialog id="confirm" aria-labelledby="confirm-title">
  <h2 id="confirm-title">Clear the mailbox?</h2>
  <p id="confirm-text"></p>
  <div class="choices">
    <button type="button" class="quiet" id="confirm-no">Keep them</button>
    <button type="button" class="strong" id="confirm-yes">Clear</button>
  </div>
</dialog>`;

/** The whole page, without any mail: the script requests the mails from the API. */
export function pageHtml(parts: PageParts): string {
  const { style, script } = parts;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Mailbox · Lettermill</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="/mailbox/${style}">
<script src="/mailbox/${script}" defer></script>
</head>
<body>
${HEADER}
<main id="panes" class="panes">
  <nav class="list" aria-label="Mails">
    <ol id="mails"></ol>
    <p class="none" id="none" hidden>No mail matches.</p>
  </nav>
  <div class="reader" id="reader">
    <p class="pick" id="pick" hidden>Choose a mail. <kbd>j</kbd> <kbd>k</kbd> go through the list.</p>
    ${MAIL}
  </div>
  ${emptyBox(parts)}
</main>
${CONFIRM}
<p class="unseen" id="announce" aria-live="polite"></p>
<noscript><p class="none">The page needs JavaScript; the mails are at <a href="/mailbox/api/messages">/mailbox/api/messages</a>, too.</p></noscript>
</body>
</html>
`;
}
