const toJson = JSON.stringify;

/** `head` + `tail` is the JSON. */
export interface HeaderJson {
  head: string;
  tail: string;
}

/**
 * Writes headers of records as JSON, in two parts. Records of one batch differ in one or two headers only: the leading
 * headers that a record shares with the previous one are written only once, so headers that differ are best put last.
 */
export class HeaderWriter {
  private readonly names: string[] = [];
  private readonly values: string[] = [];
  /** What stands before each value: bracket or comma, and the name. */
  private readonly openings: string[] = [];
  /** At index n: JSON of the first n headers of the last record, without the closing brace. */
  private readonly leadingHeads: string[] = [''];

  write(headers: Record<string, string>): HeaderJson {
    let i = 0;
    let sharedCount = -1;
    let tail = '';
    for (const name in headers) {
      const value = headers[name]!;
      if (sharedCount < 0 && (this.names[i] !== name || this.values[i] !== value)) sharedCount = this.forgetFrom(i);
      if (sharedCount >= 0) tail += this.rememberMember(i, name, value);
      i += 1;
    }
    if (i === 0) return { head: '{', tail: '}' };
    return { head: this.leadingHead(sharedCount < 0 ? i : sharedCount), tail: `${tail}}` };
  }

  /** Remembers the member and returns its JSON. */
  private rememberMember(i: number, name: string, value: string): string {
    if (this.names[i] !== name) {
      this.names[i] = name;
      this.openings[i] = `${i === 0 ? '{' : ','}${toJson(name)}:`;
    }
    this.values[i] = value;
    return this.openings[i]! + toJson(value);
  }

  private forgetFrom(index: number): number {
    if (this.leadingHeads.length > index + 1) this.leadingHeads.length = index + 1;
    return index;
  }

  private leadingHead(count: number): string {
    for (let i = this.leadingHeads.length; i <= count; i += 1) {
      const member = this.openings[i - 1]! + toJson(this.values[i - 1]);
      // Through a buffer, which gives one flat string: it is copied for each record without being concatenated again.
      this.leadingHeads[i] = Buffer.from(this.leadingHeads[i - 1]! + member).toString();
    }
    return this.leadingHeads[count]!;
  }
}
