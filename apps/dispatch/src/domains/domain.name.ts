import { domainToASCII } from 'node:url';
import { domainFault } from '@lettermill/contract';

/** With the longest selector before it, the name of a key then has at most 253 octets. */
const MAX_DOMAIN_OCTETS = 170;

/** A domain in A-labels and lower case, or what is wrong with it. */
export function parseDomainName(text: string): { domain: string } | { fault: string } {
  const fault = text.length > 1000 ? 'it is too long' : domainFault(text);
  if (fault !== undefined) return { fault };
  const domain = domainToASCII(text);
  return domain.length > MAX_DOMAIN_OCTETS ? { fault: `it is longer than ${MAX_DOMAIN_OCTETS} octets` } : { domain };
}

/** The domain of an address and those above it that may sign for it (relaxed alignment, RFC 7489 section 3.1.1), the nearest first. */
export function signingDomains(address: string): string[] {
  const domain = domainToASCII(address.slice(address.lastIndexOf('@') + 1));
  const labels = domain.split('.');
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
}
