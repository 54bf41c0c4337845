import { checkTemplate } from '../compile/template.check';

const detailsOf = (text: string) => checkTemplate(text, 'html').map(({ detail }) => detail);

describe('a template changed by an editor', () => {
  it.each([
    ['{{&nbsp;name&nbsp;}}', 'remove the HTML from the tag'],
    ['{{ &quot;x&quot; }}', 'remove the HTML from the tag'],
    ['{{ name | default: &quot;x&quot; }}', 'remove the HTML from the tag'],
    ['{{ <b>name</b> }}', 'remove the HTML from the tag'],
    ['{{ first<br>name }}', 'remove the HTML from the tag'],
    ['{% if a &gt; 1 %}{% endif %}', 'remove the HTML from the tag'],
    ['{{%20name%20}}', 'not percent-encoded'],
    ['{{ name | default: \u2018x\u2019 }}', 'use straight quotes'],
    ['{{ name | default: \u201cx\u201d }}', 'use straight quotes'],
    ['{{ name | default: \u00abx\u00bb }}', 'use straight quotes'],
    ['{% if a == \u2018x\u2019 %}{% endif %}', 'use straight quotes'],
    ['{{ name\u200b }}', 'an invisible character'],
    ['{{ \u2060name }}', 'an invisible character'],
    ['{{ user.\u200dname }}', 'an invisible character'],
  ])('is refused where it would show nothing: %s', (text, advice) => {
    expect(detailsOf(text)).toEqual([expect.stringContaining(advice)]);
  });

  it('is accepted where Liquid reads it the same, or the character belongs to the name', () => {
    expect(detailsOf('{{\u00a0name\u00a0|\u00a0upcase\u00a0}}{%\u00a0if a\u00a0%}{% endif %}')).toEqual([]);
    expect(
      detailsOf('{{ l\u2019adresse }} {{ \u0646\u0627\u0645\u200c\u062e\u0627\u0646\u0648\u0627\u062f\u06af\u06cc }}'),
    ).toEqual([]);
    expect(detailsOf('{{ name | default: "\u201cx\u201d &quot;\u200b %20 <b>" | append: "<br>" }}')).toEqual([]);
  });

  it('is refused where the braces of a link are percent-encoded', () => {
    const link = (braces: string) => `<p>\n<a href="https://x.test/${braces}">`;
    const detail = (found: string, meant: string) =>
      `«${found}» is not understood; write ${meant}; the braces are percent-encoded, as editors do in links`;
    for (const [found, meant] of [
      ['%7B%7B%20token%20%7D%7D', '{{ token }}'],
      ['%7b%7btoken%7d%7d', '{{ token }}'],
      ['%7B%7B.Token%7D%7D', '{{ Token }}'],
      ['%7B%7B-%20user.id%20%7C%20url_encode%20-%7D%7D', '{{ user.id | url_encode }}'],
      [`%7B%7B%C2%A0items[0].url | default: 'x'%7D%7D`, `{{ items[0].url | default: 'x' }}`],
    ] as const) {
      const column = 25;
      expect(checkTemplate(link(found), 'html')).toEqual([{ line: 2, column, detail: detail(found, meant) }]);
      expect(checkTemplate(link(found), 'text')).toEqual([]);
      expect(checkTemplate(`{{ a }}${link(found)}{{ b }}<p>`, 'html')).toMatchObject([{ line: 2, column }]);
      expect(detailsOf(`{% raw %}${link(found)}{% endraw %}{% comment %}${found}{% endcomment %}`)).toEqual([]);
    }
    for (const other of [
      '%7B%7B%22a%22:1%7D%7D',
      '%7B%7B',
      '%7Ba%7D',
      '%7B%7B1%2B1%7D%7D',
      '%7B%7B%7D%7D',
      '%7B%7B%zz%7D%7D',
    ]) {
      expect(detailsOf(link(other))).toEqual([]);
    }
  });
});
