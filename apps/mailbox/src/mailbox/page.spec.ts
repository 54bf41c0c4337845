import { Script } from 'node:vm';
import { PAGE_CSS } from './page.css';
import { pageHtml } from './page.html';
import { PAGE_SCRIPT } from './page.script';

const html = pageHtml({ smtp: 'smtp://127.0.0.1:2525', style: 'app.css?v=1', script: 'app.js?v=2' });

describe('the page', () => {
  it('never treats a mail as html or code', () => {
    expect(PAGE_SCRIPT).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc|eval\(|new Function/,
    );
  });

  it('needs nothing that its policy forbids', () => {
    expect(html).not.toMatch(/\son[a-z]+=|\sstyle=|<style|<script(?! src="\/mailbox\/)|https?:\/\/(?!www\.w3\.org)/);
    expect(PAGE_CSS).not.toMatch(/@import|url\(/);
  });

  it('has a script that parses, and all elements that it looks up', () => {
    expect(() => new Script(PAGE_SCRIPT)).not.toThrow();
    const ids = [...PAGE_SCRIPT.matchAll(/byId\('([a-z-]+)'\)/g)].map(([, id]) => id!);
    expect(ids.length).toBeGreaterThan(20);
    for (const id of ids) expect(html).toContain(`id="${id}"`);
  });

  it('labels its parts for assistive technology', () => {
    expect(html).toMatch(/<html lang="en">/);
    for (const [, panel] of html.matchAll(/aria-controls="([a-z-]+)"/g)) expect(html).toContain(`id="${panel}"`);
    for (const [, label] of html.matchAll(/aria-labelledby="([a-z-]+)"/g)) expect(html).toContain(`id="${label}"`);
  });

  it('shows where other programs can send mail', () => {
    expect(html).toContain('smtp://127.0.0.1:2525');
  });
});
