import { missingLinkFaults } from './unsubscribe.links';

describe('a link to unsubscribe that the campaign does not have', () => {
  it('is refused where it is shown, and told how to be had', () => {
    const detail =
      'message.unsubscribe_url is empty in this campaign: launch it with "unsubscribe": "one_click", ' +
      'or put the link into {% if message.unsubscribe_url %}…{% endif %}';
    expect(missingLinkFaults('<p>\n<a href="{{ message.unsubscribe_url }}">\n{{message.unsubscribe_url}}')).toEqual([
      { line: 2, column: 10, detail },
      { line: 3, column: 1, detail },
    ]);
  });

  it.each([
    '{{ message.unsubscribe_url | escape }}',
    '{% if news %}{{ message.unsubscribe_url }}{% endif %}',
    '{% if message.unsubscribe_url %}a{% endif %}{{ message.unsubscribe_url }}',
    '{% if a %}{% elsif b == "message.unsubscribe_url" %}{{ message.unsubscribe_url }}{% endif %}',
    '{% raw %}{% if message.unsubscribe_url %}{% endraw %}{{ message.unsubscribe_url }}',
  ])('is refused in %s', (text) => {
    expect(missingLinkFaults(text)).toHaveLength(1);
  });

  it.each([
    '{% if message.unsubscribe_url %}<a href="{{ message.unsubscribe_url }}">{% endif %}',
    '{% if a and message.unsubscribe_url %}{% if b %}{{ message.unsubscribe_url }}{% endif %}{% endif %}',
    '{% if a %}{% elsif message.unsubscribe_url %}{{ message.unsubscribe_url }}{% endif %}',
    '{% unless message.unsubscribe_url %}-{% else %}{{ message.unsubscribe_url }}{% endunless %}',
    '{{ message.unsubscribe_url | default: profile.preferences_url }}',
    '{{ unsubscribe_url }} {{ profile.message.unsubscribe_url }} {{ message.unsubscribe_url_text }}',
    '{{ "message.unsubscribe_url" }} {% raw %}{{ message.unsubscribe_url }}{% endraw %} message.unsubscribe_url',
    '{% for message in messages %}{{ message.unsubscribe_url }}{% endfor %}',
  ])('is none in %s', (text) => {
    expect(missingLinkFaults(text)).toEqual([]);
  });
});
