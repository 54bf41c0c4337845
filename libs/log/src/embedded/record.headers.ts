const text = JSON.stringify;

/** `head` + `tail` is the JSON. */
export interface HeaderJson {
  head: string;
  tail: string;
}

/**
 * Headers of records as JSON, in two parts. Records of one batch have the same headers but for one or two: what a record
 * begins with like the one before is written only once, so headers that differ are best put last.
 */
export class HeaderWriter {
  private readonly names: string[] = [];
  private readonly values: string[] = [];
  /** What stands before each value: bracket or comma, and the name. */
  private readonly openings: string[] = [];
  /** JSON of the first so many headers of the last record, without what closes it. */
  private readonly heads: string[] = [''];

  write(headers: Record<string, string>): HeaderJson {
    let i = 0;
    let same = -1;
    let tail = '';
    for (const name in headers) {
      const value = headers[name]!;
      if (same < 0 && (this.names[i] !== name || this.values[i] !== value)) same = this.forgetFrom(i);
      if (same >= 0) tail += this.learn(i, name, value);
      i += 1;
    }
    if (i === 0) return { head: '{', tail: '}' };
    return { head: this.head(same < 0 ? i : same), tail: `${tail}}` };
  }

  /** JSON of the member. */
  private learn(i: number, name: string, value: string): string {
    if (this.names[i] !== name) {
      this.names[i] = name;
      this.openings[i] = `${i === 0 ? '{' : ','}${text(name)}:`;
    }
    this.values[i] = value;
    return this.openings[i]! + text(value);
  }

  private forgetFrom(index: number): number {
    if (this.heads.length > index + 1) this.heads.length = index + 1;
    return index;
  }

  private head(count: number): string {
    for (let i = this.heads.length; i <= count; i += 1) {
      const member = this.openings[i - 1]! + text(this.values[i - 1]);
      // Through a buffer: one flat text, copied for each record without being put together again.
      this.heads[i] = Buffer.from(this.heads[i - 1]! + member).toString();
    }
    return this.heads[count]!;
  }
}
