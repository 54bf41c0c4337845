/** What is parsed, but read otherwise than it was meant. */
export interface Finding {
  /** Where in the template. */
  at: number;
  /** What is not understood there. */
  what: string;
  /** How it is written. */
  advice?: string;
}

/** One that ends the reading of its tag. Without advice of its own, it has that for the whole tag. */
export class Misread extends Error implements Finding {
  constructor(
    readonly at: number,
    readonly what: string,
    readonly advice?: string,
  ) {
    super(what);
  }
}

/** Quotes of print, as a class of characters: to Liquid they are letters of a name. */
export const PRINTED_QUOTES = '\u2018-\u201f\u00ab\u00bb\u2039\u203a';
/** Nobody sees them. */
export const INVISIBLE = '\u00ad\u200b\u200e\u200f\u2060-\u2064\ufeff';
/** Nobody sees these either, but they join letters of some scripts. */
export const JOINERS = '\u200c\u200d';
