/** Light paper colours by day, slate by night; one accent colour. */
const COLOURS = String.raw`
:root {
  color-scheme: light dark;
  --ground: #f5f3ee; --sheet: #fffefb; --raised: #ffffff; --line: #e2ded4; --hover: #efece4; --chosen: #e2eee8;
  --ink: #1e2420; --soft: #5a625c; --accent: #236b57; --on-accent: #ffffff; --warn: #a1362b; --on-warn: #ffffff;
  --shadow: 0 12px 40px rgb(40 36 24 / 0.18);
  --text: 'Inter', ui-sans-serif, system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', sans-serif;
  --mono: ui-monospace, 'SF Mono', 'Cascadia Code', 'JetBrains Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #141715; --sheet: #1a1e1b; --raised: #222723; --line: #2d332f; --hover: #222824; --chosen: #223a31;
    --ink: #e7e9e4; --soft: #9ea79f; --accent: #7fcbb0; --on-accent: #10231c; --warn: #f0938a; --on-warn: #2a0d0a;
    --shadow: 0 12px 40px rgb(0 0 0 / 0.5);
  }
}`;

const BASE = String.raw`
*, *::before, *::after { box-sizing: border-box; scrollbar-width: thin; scrollbar-color: color-mix(in srgb, var(--soft) 45%, transparent) transparent; }
[hidden] { display: none !important; }
html, body { height: 100%; margin: 0; }
body { display: flex; flex-direction: column; background: var(--ground); color: var(--ink); font: 15px/1.5 var(--text); -webkit-font-smoothing: antialiased; }
h1, h2, p, ol, ul, dl, dd, pre { margin: 0; padding: 0; }
ol, ul { list-style: none; }
button, input { font: inherit; color: inherit; }
button { cursor: pointer; }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
kbd { padding: 0 6px; border: 1px solid var(--line); border-radius: 5px; background: var(--raised); color: var(--soft); font: 12px/18px var(--mono); }
code, pre { font-family: var(--mono); font-size: 13px; }
.glyph { flex: none; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.quiet { display: inline-flex; align-items: center; gap: 6px; padding: 6px 10px; border: 1px solid transparent; border-radius: 8px; background: none; color: var(--soft); }
.quiet:hover:not(:disabled) { background: var(--hover); color: var(--ink); }
.quiet:disabled { opacity: 0.45; cursor: default; }
.strong { padding: 7px 16px; border: 0; border-radius: 8px; background: var(--warn); color: var(--on-warn); font-weight: 600; }
.none, .pick { padding: 48px 24px; color: var(--soft); text-align: center; }
.pick { margin: auto; }`;

const BAR = String.raw`
.bar { display: flex; align-items: center; gap: 14px; padding: 10px 16px 10px 20px; border-bottom: 1px solid var(--line); background: var(--ground); }
.brand { display: flex; align-items: center; gap: 10px; font-size: 17px; font-weight: 650; letter-spacing: -0.01em; }
.brand .glyph { color: var(--accent); }
.count { color: var(--soft); font-variant-numeric: tabular-nums; white-space: nowrap; }
.search { display: flex; align-items: center; gap: 8px; flex: 1; max-width: 420px; margin: 0 auto; padding: 0 10px; border: 1px solid var(--line); border-radius: 10px; background: var(--sheet); color: var(--soft); }
.search:focus-within { border-color: var(--accent); box-shadow: 0 0 0 1px var(--accent); }
.search input { flex: 1; min-width: 0; padding: 7px 0; border: 0; outline: 0; background: none; color: var(--ink); appearance: none; }
.search input::-webkit-search-cancel-button { filter: grayscale(1); }
.search input::placeholder { color: var(--soft); opacity: 1; }
.search:focus-within kbd { visibility: hidden; }
.live { display: flex; align-items: center; gap: 7px; color: var(--soft); font-size: 13px; white-space: nowrap; }
.live::before { content: ''; width: 8px; height: 8px; border-radius: 50%; background: var(--soft); }
.live[data-state='live']::before { background: var(--accent); }
.live[data-state='away']::before { background: var(--warn); }`;

const LIST = String.raw`
.panes { display: grid; grid-template-columns: minmax(280px, 380px) minmax(0, 1fr); flex: 1; min-height: 0; }
.panes.is-empty { grid-template-columns: minmax(0, 1fr); }
.is-empty > .list, .is-empty > .reader { display: none; }
.list { overflow-y: auto; border-right: 1px solid var(--line); overscroll-behavior: contain; }
.row { display: grid; grid-template-columns: 38px minmax(0, 1fr) auto; column-gap: 12px; width: 100%; padding: 12px 16px 12px 20px; border: 0; border-bottom: 1px solid var(--line); background: none; text-align: left; content-visibility: auto; contain-intrinsic-size: auto 88px; }
.row:hover { background: var(--hover); }
.row[aria-current='true'] { background: var(--chosen); box-shadow: inset 3px 0 var(--accent); }
.row:focus-visible { outline-offset: -3px; }
.row .face { grid-row: 1 / 4; margin-top: 2px; }
.face { display: grid; place-items: center; width: 36px; height: 36px; border-radius: 50%; background: hsl(var(--hue, 160) 38% 86%); color: hsl(var(--hue, 160) 45% 24%); font-size: 13px; font-weight: 650; }
@media (prefers-color-scheme: dark) { .face { background: hsl(var(--hue, 160) 24% 26%); color: hsl(var(--hue, 160) 45% 84%); } }
.row .who, .row .what, .row .to { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; unicode-bidi: isolate; }
.row time { color: var(--soft); font-size: 12.5px; font-variant-numeric: tabular-nums; line-height: 22px; }
.row .what { grid-column: 2 / 4; }
.row .to { grid-column: 2 / 4; color: var(--soft); font-size: 13px; }
.row.fresh .who, .row.fresh .what { font-weight: 650; }
.row.fresh time { color: var(--accent); font-weight: 650; }`;

const READER = String.raw`
.reader { display: flex; min-width: 0; min-height: 0; background: var(--sheet); }
.mail { display: flex; flex-direction: column; flex: 1; min-width: 0; min-height: 0; }
.head { padding: 18px 24px 12px; }
.title { display: flex; align-items: flex-start; gap: 8px; }
.title h2 { flex: 1; min-width: 0; font-size: 21px; line-height: 1.3; font-weight: 650; letter-spacing: -0.015em; overflow-wrap: anywhere; outline: 0; unicode-bidi: plaintext; max-height: 5.2em; overflow-y: auto; }
.back { display: none; }
.people { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 2px 14px; margin-top: 10px; max-height: 11.5em; overflow-y: auto; font-size: 14px; }
.people dt { color: var(--soft); }
.people dd { overflow-wrap: anywhere; unicode-bidi: isolate; }
.people span { unicode-bidi: isolate; }
.people .address { color: var(--soft); }
.people .note { display: inline-block; margin-left: 6px; line-height: 18px; white-space: nowrap; padding: 0 7px; border-radius: 9px; background: var(--hover); color: var(--soft); font-size: 12px; }
.chips { display: flex; flex-wrap: wrap; gap: 8px; margin-top: 12px; max-height: 8em; overflow-y: auto; }
.chips a { display: flex; gap: 8px; max-width: 320px; padding: 5px 12px; border: 1px solid var(--line); border-radius: 16px; background: var(--raised); color: var(--ink); font-size: 13px; text-decoration: none; }
.chips a:hover { border-color: var(--accent); }
.chips .name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; unicode-bidi: isolate; }
.chips .size { flex: none; color: var(--soft); }
.tabs { display: flex; align-items: center; justify-content: space-between; gap: 12px; padding: 0 24px; border-bottom: 1px solid var(--line); font-size: 14px; }
[role='tablist'] { display: flex; gap: 20px; }
[role='tab'] { padding: 8px 1px 9px; border: 0; border-bottom: 2px solid transparent; background: none; color: var(--soft); }
[role='tab']:hover { color: var(--ink); }
[role='tab'][aria-selected='true'] { border-color: var(--accent); color: var(--ink); font-weight: 600; }
#remote { padding: 3px 10px; border-color: var(--line); font-size: 13px; }
.panel { flex: 1; min-height: 0; overflow: auto; outline-offset: -3px; }
.panel-html { display: flex; overflow: hidden; background: #fff; }
.panel-html iframe { flex: 1; width: 100%; border: 0; background: #fff; color-scheme: light; }
.panel pre { padding: 20px 24px 40px; white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 4; }
.panel-text pre { max-width: 82ch; font-size: 14px; line-height: 1.6; unicode-bidi: plaintext; }
.panel-headers table { width: 100%; border-collapse: collapse; font-size: 13.5px; }
.panel-headers th, .panel-headers td { padding: 7px 24px; border-bottom: 1px solid var(--line); text-align: left; vertical-align: baseline; }
.panel-headers th { width: 1%; padding-right: 0; color: var(--soft); font-weight: 500; white-space: nowrap; }
.panel-headers td { font-family: var(--mono); font-size: 12.5px; overflow-wrap: anywhere; unicode-bidi: isolate; }
.tools { display: flex; gap: 18px; padding: 12px 24px 0; font-size: 13px; }
.panel-source pre { padding-top: 10px; font-size: 12.5px; }`;

const REST = String.raw`
.empty { align-self: center; width: min(720px, 100%); margin: 0 auto; padding: 24px 24px 12vh; text-align: center; }
.medal { display: grid; place-items: center; width: 76px; height: 76px; margin: 0 auto 18px; border-radius: 50%; background: var(--chosen); color: var(--accent); }
.empty h2 { margin-bottom: 6px; font-size: 24px; letter-spacing: -0.02em; }
.empty p { max-width: 56ch; margin: 0 auto; color: var(--soft); text-wrap: balance; }
.command { position: relative; margin: 24px 0 18px; border: 1px solid var(--line); border-radius: 12px; background: var(--sheet); text-align: left; }
.command pre { padding: 16px 90px 16px 18px; overflow-x: auto; line-height: 1.65; }
.command button { position: absolute; top: 8px; right: 8px; font-size: 13px; background: var(--sheet); border-color: var(--line); }
.empty .hint { font-size: 13px; }
dialog { width: min(400px, calc(100vw - 32px)); padding: 24px; border: 1px solid var(--line); border-radius: 14px; background: var(--raised); color: var(--ink); box-shadow: var(--shadow); }
dialog::backdrop { background: rgb(20 20 16 / 0.35); }
dialog h2 { font-size: 18px; }
dialog p { margin-top: 6px; color: var(--soft); }
.choices { display: flex; justify-content: flex-end; gap: 8px; margin-top: 20px; }
@media (max-width: 720px) {
  .bar { flex-wrap: wrap; gap: 6px 12px; padding: 10px 12px 10px 16px; }
  .search { order: 5; flex-basis: 100%; max-width: none; }
  .search kbd, #clear span { display: none; }
  .search input { font-size: 16px; }
  .live { margin-left: auto; }
  .panes { grid-template-columns: minmax(0, 1fr); }
  .list { border-right: 0; }
  .reader, .reading .list { display: none; }
  .reading .reader { display: flex; }
  body:has(.reading) .bar { display: none; }
  .back { display: inline-flex; margin-left: -8px; }
  .row { padding-left: 16px; }
  .command { display: grid; }
  .command pre { padding-right: 18px; }
  .command button { position: static; justify-self: end; margin: 0 8px 8px; }
  .head { padding: 12px 16px 10px; }
  .people { max-height: 8em; }
  .title h2 { font-size: 18px; line-height: 1.4; padding-top: 4px; }
  .tabs { padding: 0 16px; overflow-x: auto; }
  .panel pre { padding-inline: 16px; }
  .panel-headers th, .panel-headers td { padding-inline: 16px; }
  .panel-headers tr { display: grid; }
  .panel-headers th { width: auto; padding-bottom: 0; border: 0; }
  .panel-headers td { padding-top: 0; }
}
@media (prefers-reduced-motion: no-preference) {
  .row, .quiet, .chips a, [role='tab'] { transition: background-color 120ms, color 120ms, border-color 120ms; }
}`;

export const PAGE_CSS = [COLOURS, BASE, BAR, LIST, READER, REST].join('\n');
