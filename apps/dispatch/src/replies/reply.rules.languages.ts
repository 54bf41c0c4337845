import type { ReplyRule } from './reply.rule';
import { LANGUAGES, type LanguageTerms } from './reply.rules.terms';

/** Matches what is named and what is said about it, close to each other, in either order. */
function patternOf(of: (language: LanguageTerms) => [named: string, told: string]): RegExp {
  const each = LANGUAGES.map((language) => {
    const [named, told] = of(language);
    return `(?:${named}).{0,45}(?:${told})|(?:${told}).{0,20}(?:${named})`;
  });
  return new RegExp(each.join('|'), 'iu');
}

/** 5xx in languages other than English: about the sender, a full mailbox, an unknown one, a closed one, the domain. */
export const LANGUAGE_RULES: ReplyRule[] = [
  {
    code: '5',
    text: patternOf(({ sender, unknown, refused }) => [sender, `${unknown}|${refused}|invalid`]),
    reason: 'policy_refused',
    sample: '550 Absenderadresse unbekannt',
  },
  {
    code: '5',
    text: patternOf(({ mailbox, full }) => [`${mailbox}|mailbox|quota|kontingent|speicherplatz|cuota|квот|容量`, full]),
    reason: 'mailbox_full',
    sample: '550 La boite du destinataire est pleine',
  },
  {
    code: '5',
    text: patternOf(({ mailbox, unknown }) => [mailbox, unknown]),
    reason: 'mailbox_unknown',
    sample: '550 Casella inesistente',
  },
  {
    code: '5',
    text: patternOf(({ mailbox, closed }) => [mailbox, closed]),
    reason: 'mailbox_disabled',
    sample: '550 Cette adresse a été désactivée',
  },
  {
    code: '5',
    enhanced: /^(?!5\.7\.)/,
    text: patternOf(({ domain, unknown }) => [domain, unknown]),
    reason: 'domain_unknown',
    sample: '550 Domaine inconnu',
  },
];
