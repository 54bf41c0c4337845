import type { TemplateKind } from '../tags';
import { mergeTagFaults } from './merge.tags';

const detailsOf = (text: string, kind: TemplateKind = 'html') => mergeTagFaults(text, kind).map(({ detail }) => detail);

describe('tags of other systems', () => {
  it.each([
    ['*|FNAME|*', 'write {{ FNAME }}'],
    ['*|first_name|*', 'write {{ first_name }}'],
    ['*%7CEMAIL%7C*', 'write {{ EMAIL }}'],
    ['*|UNSUB|*', 'write {{ message.unsubscribe_url }}'],
    ['*|LIST:COMPANY|*', 'write {{ name }}'],
    ['*|IF:FNAME|*', 'write {% if name %}…{% else %}…{% endif %}'],
    ['*|END:IF|*', 'write {% if name %}…{% else %}…{% endif %}'],
    ['%recipient.first_name%', 'write {{ first_name }}'],
    ['%unsubscribe_url%', 'write {{ message.unsubscribe_url }}'],
    ['{# to do #}', 'write {% comment %}…{% endcomment %}'],
    ['<%= name %>', 'write {{ name }}'],
    ['<%- @user.name -%>', 'write {{ user.name }}'],
    ['<%body%>', 'write {{ body }}'],
    ['<%asm_group_unsubscribe_raw_url%>', 'write {{ message.unsubscribe_url }}'],
  ])('are refused, since everybody would read them: %s', (tag, advice) => {
    const detail = `«${tag}» is not understood; ${advice}, or put it into {% raw %} if it is meant as it is`;
    expect(mergeTagFaults(`Dear {{ name }}\n ${tag}`, 'html')).toEqual([{ line: 2, column: 2, detail }]);
    expect(detailsOf(`{% raw %}${tag}{% endraw %}{% comment %}${tag}{% endcomment %}{{ "${tag}" }}`)).toEqual([]);
    expect(detailsOf(tag, 'text')).toEqual(tag.startsWith('<%') ? [] : [detail]);
  });

  it('are each located', () => {
    expect(mergeTagFaults('*|A|* {{ x }}*|B|*', 'subject')).toMatchObject([{ column: 1 }, { column: 14 }]);
  });

  it('are counted up to ten thousand, so that no launch fills the memory', () => {
    expect(mergeTagFaults('*|A|*'.repeat(20_000), 'text')).toHaveLength(10_000);
  });

  it.each([
    '-name- [[name]] [NAME] {name} %name% %%name%% ${name} #{name} $name @name ##name## {$name}',
    'a * b | c * d, **|**, |*|*|, *| x |*, 5 *|3|* 2',
    'save <% 20, 100 % of recipient. %recipient% 50%recipient',
    '<style>a{#x}@media x{#id{color:#fff}#b{color:#eee}}</style>',
    '<!--[if mso]><% if a then %><![endif]-->',
    '&lt;%= name %&gt;',
  ])('are none where it may be text: %s', (text) => {
    expect(detailsOf(text)).toEqual([]);
  });
});
