import { domainToASCII, domainToUnicode } from 'node:url';
import { quoted } from '../fault.wording';

/** RFC 1035 2.3.4. */
const MAX_LABEL_LENGTH = 63;

const LDH = /^[A-Za-z0-9-]+$/;
/** Letters, marks, digits and the joiners of IDNA 2008 (RFC 5892). Whether they are valid together, domainToASCII decides. */
const U_LABEL = /^[\p{L}\p{M}\p{Nd}A-Za-z0-9\u00b7\u0375\u05f3\u05f4\u200c\u200d\u30fb-]+$/u;
const NOT_U_LABEL = /[^\p{L}\p{M}\p{Nd}\u00b7\u0375\u05f3\u05f4\u200c\u200d\u30fb-]/u;
const A_LABEL = /^xn--/i;
/** As the URL standard reads them: names that end so are IPv4 addresses. */
const NUMBER = /^(?:[0-9]+|0x[0-9a-f]*)$/i;

function labelFault(label: string): string | undefined {
  if (label === '') return 'a dot in the domain must be between two names';
  if (label.length > MAX_LABEL_LENGTH)
    return `the name ${quoted(label)} in the domain is longer than ${MAX_LABEL_LENGTH} characters`;
  if (label.startsWith('-') || label.endsWith('-')) {
    return `the name ${quoted(label)} in the domain begins or ends with a hyphen`;
  }
  if (LDH.test(label) || U_LABEL.test(label)) return undefined;
  return `${quoted(NOT_U_LABEL.exec(label)?.[0] ?? label)} is not allowed in a domain`;
}

function labelsFault(labels: string[]): string | undefined {
  for (const label of labels) {
    const fault = labelFault(label);
    if (fault !== undefined) return fault;
  }
  if (labels.length < 2) return 'the domain has only one name; two are needed, as in example.com';
  // A top-level domain cannot be numeric (RFC 3696 2): this is an IP address without its brackets.
  if (NUMBER.test(labels[labels.length - 1]!)) return 'the domain ends with a number; IP addresses are not accepted';
  return undefined;
}

/** What is wrong with the part after the `@`, as a phrase; undefined if it is valid. LDH labels and U-labels are valid. */
export function domainFault(domain: string): string | undefined {
  if (domain === '') return 'there is nothing after @';
  if (domain[0] === '[') return 'IP addresses are not accepted as a domain';
  if (domain.includes('@')) return '@ is not allowed in the domain';
  if (domain.includes('(')) return 'comments are not allowed';
  const labels = domain.split('.');
  const fault = labelsFault(labels);
  if (fault !== undefined || labels.every((label) => LDH.test(label) && !A_LABEL.test(label))) return fault;
  const ascii = domainToASCII(domain);
  // From Node 26 on, domainToASCII leaves an invalid A-label as it is instead of refusing it.
  if (
    ascii === '' ||
    domainToUnicode(ascii)
      .split('.')
      .some((label) => A_LABEL.test(label))
  ) {
    return 'the domain is not a valid internationalised domain name (IDNA)';
  }
  // The ASCII form of the domain must be valid by itself, too.
  return labelsFault(ascii.split('.'));
}
