import type { Finding } from './misread';

const ENCODED_OUTPUT = /%7b%7b((?:(?!%7[bd])[^<>\n])*)%7d%7d/gi;
/** Matches a value, perhaps with filters. */
const VALUE = /^-?\s*\.?[\p{L}_][\p{L}\p{N}_-]*(?:\.[\p{L}\p{N}_-]+|\[[^\]]*\])*\s*(?:\|[^]*)?-?$/u;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Values in links whose braces an editor percent-encoded. They would be sent as they are, and the links would not work. */
export function encodedBraces(text: string, from: number, to: number): Finding[] {
  return [...text.slice(from, to).matchAll(ENCODED_OUTPUT)].flatMap(({ 0: found, 1: inner, index }) => {
    const value = decoded(inner!).trim();
    if (!VALUE.test(value)) return [];
    const meant = value.replace(/^-?\s*\.?|-$/g, '').trim();
    const advice = `write {{ ${meant} }}; the braces are percent-encoded, as editors do in links`;
    return [{ at: from + index, what: found, advice }];
  });
}
