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
  private names: string[] = [];
  private values: string[] = [];
  /** JSON of the first so many headers of the last record, without what closes it. */
  private heads: string[] = [];

  write(headers: Record<string, string>): HeaderJson {
    let same = 0;
    let tail = '';
    let differs = false;
    let i = 0;
    for (const name in headers) {
      const value = headers[name]!;
      if (!differs && this.names[i] === name && this.values[i] === value) same += 1;
      else {
        if (!differs) this.forgetFrom(i);
        differs = true;
        const member = `${i === 0 ? '{' : ','}${text(name)}:${text(value)}`;
        this.names.push(name);
        this.values.push(value);
        tail += member;
      }
      i += 1;
    }
    if (i === 0) return { head: '{', tail: '}' };
    return { head: this.head(same), tail: `${tail}}` };
  }

  private forgetFrom(index: number): void {
    this.names.length = index;
    this.values.length = index;
    if (this.heads.length > index + 1) this.heads.length = index + 1;
  }

  private head(count: number): string {
    this.heads[0] = '';
    for (let i = this.heads.length; i <= count; i += 1) {
      const member = `${i === 1 ? '{' : ','}${text(this.names[i - 1])}:${text(this.values[i - 1])}`;
      // Through a buffer: one flat text, copied for each record without being put together again.
      this.heads[i] = Buffer.from(this.heads[i - 1]! + member).toString();
    }
    return this.heads[count]!;
  }
}
