/** Something that Liquid parses, but not with the meaning that was intended. */
export interface Finding {
  /** Index in the template. */
  at: number;
  /** The text that is not understood. */
  what: string;
  /** How to write it. */
  advice?: string;
}

/** A finding that ends the check of its tag. Without advice of its own, it gets the advice for the whole tag. */
export class Misread extends Error implements Finding {
  constructor(
    readonly at: number,
    readonly what: string,
    readonly advice?: string,
  ) {
    super(what);
  }
}

/** Typographic quotes, for a character class: Liquid takes them for letters of a name. */
export const TYPOGRAPHIC_QUOTES = '\u2018-\u201f\u00ab\u00bb\u2039\u203a';
/** Invisible characters. */
export const INVISIBLE_CHARACTERS = '\u00ad\u200b\u200e\u200f\u2060-\u2064\ufeff';
/** Characters that are invisible, too, but join letters in some scripts. */
export const JOINING_CHARACTERS = '\u200c\u200d';
