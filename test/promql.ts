/** What an expression of Prometheus asks for. */
export interface Selector {
  name: string;
  matchers: { label: string; operator: string; value: string }[];
  range: boolean;
}
export interface Asked {
  selectors: Selector[];
  /** Labels that are grouped by or matched on, with the selectors that must have them. */
  groups: { labels: string[]; of: Selector[] }[];
}

const TOKEN =
  /\s*(?:("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(\d+(?:\.\d+)?(?:ms|[smhdwy])?)|([a-zA-Z_:][\w:]*)|(=~|!~|!=|==|>=|<=|[-+*/%^<>=(){}[\],]))/y;
const AGGREGATORS = ['sum', 'min', 'max', 'avg', 'count', 'group', 'topk', 'bottomk', 'quantile'];
/** Functions, and whether what they take is a range. */
const FUNCTIONS: Record<string, boolean> = {
  ...{ rate: true, irate: true, increase: true, delta: true, last_over_time: true, max_over_time: true },
  ...{ histogram_quantile: false, vector: false, absent: false, time: false, clamp_min: false },
};
const BINARY = [['or'], ['and', 'unless'], ['==', '!=', '>', '<', '>=', '<='], ['+', '-'], ['*', '/', '%'], ['^']];

/** Reads as much of PromQL as the rules and the dashboard are written in; throws at whatever is not of it. */
export function readPromql(text: string): Asked {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  for (let at = 0; text.slice(at).trim() !== ''; at = TOKEN.lastIndex) {
    const [, ...kinds] = TOKEN.exec(text) ?? fail(`no token at «${text.slice(at, at + 20)}»`);
    tokens.push(kinds.find((kind) => kind !== undefined)!);
  }
  const asked: Asked = { selectors: [], groups: [] };
  new Reader(tokens, asked).whole();
  return asked;
}

function fail(what: string): never {
  throw new Error(what);
}

class Reader {
  private at = 0;

  constructor(
    private readonly tokens: string[],
    private readonly asked: Asked,
  ) {}

  whole(): void {
    this.binary(0);
    if (this.at < this.tokens.length) fail(`«${this.next()}» is too much`);
  }

  private binary(level: number): void {
    if (level === BINARY.length) return this.operand();
    const from = this.asked.selectors.length;
    this.binary(level + 1);
    while (BINARY[level]!.includes(this.tokens[this.at]!)) {
      this.next();
      this.skip('bool');
      const labels = this.skip('on') || this.skip('ignoring') ? this.names() : [];
      this.binary(level + 1);
      if (labels.length > 0) this.asked.groups.push({ labels, of: this.asked.selectors.slice(from) });
    }
  }

  private operand(): void {
    if (this.skip('-')) return this.operand();
    const token = this.next();
    if (token === '(') {
      this.binary(0);
      return this.need(')');
    }
    if (/^["'\d]/.test(token)) return;
    if (!/^[a-zA-Z_:]/.test(token)) fail(`«${token}» is no operand`);
    if (AGGREGATORS.includes(token)) return this.aggregation();
    if (this.tokens[this.at] === '(') return this.call(token);
    this.selector(token);
  }

  private aggregation(): void {
    const from = this.asked.selectors.length;
    const by = () => (this.skip('by') || this.skip('without') ? this.names() : []);
    const before = by();
    this.parameters(false);
    const labels = [...before, ...by()];
    if (labels.length > 0) this.asked.groups.push({ labels, of: this.asked.selectors.slice(from) });
  }

  private call(name: string): void {
    if (!Object.hasOwn(FUNCTIONS, name)) fail(`no function «${name}»`);
    this.parameters(FUNCTIONS[name]!);
  }

  private parameters(range: boolean): void {
    const from = this.asked.selectors.length;
    this.need('(');
    while (this.tokens[this.at] !== ')') {
      this.binary(0);
      if (this.tokens[this.at] !== ')') this.need(',');
    }
    this.need(')');
    for (const selector of this.asked.selectors.slice(from)) {
      if (range && !selector.range) fail(`${selector.name} needs a range`);
      if (!range && selector.range && !this.taken.has(selector)) fail(`${selector.name} has a range that nobody takes`);
      if (range) this.taken.add(selector);
    }
  }
  private readonly taken = new Set<Selector>();

  private selector(name: string): void {
    const selector: Selector = { name, matchers: [], range: false };
    if (this.skip('{')) {
      while (!this.skip('}')) {
        const [label, operator, value] = [this.next(), this.next(), this.next()];
        if (!/^(=|!=|=~|!~)$/.test(operator) || !/^["']/.test(value))
          fail(`«${label}${operator}${value}» is no matcher`);
        selector.matchers.push({ label, operator, value: value.slice(1, -1) });
        if (this.tokens[this.at] !== '}') this.need(',');
      }
    }
    if (this.skip('[')) {
      this.duration();
      this.need(']');
      selector.range = true;
    }
    if (this.skip('offset')) this.duration();
    this.asked.selectors.push(selector);
  }

  private duration(): void {
    const token = this.next();
    if (!/^\d+(ms|[smhdwy])$/.test(token)) fail(`«${token}» is no duration`);
  }

  private names(): string[] {
    const found: string[] = [];
    this.need('(');
    while (!this.skip(')')) {
      found.push(this.next());
      if (this.tokens[this.at] !== ')') this.need(',');
    }
    return found;
  }

  private next(): string {
    return this.tokens[this.at++] ?? fail('it ends too early');
  }

  private skip(token: string): boolean {
    if (this.tokens[this.at] !== token) return false;
    this.at += 1;
    return true;
  }

  private need(token: string): void {
    if (!this.skip(token)) fail(`«${token}» is missing before «${this.tokens[this.at] ?? 'the end'}»`);
  }
}
