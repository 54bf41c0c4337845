import { parser } from '@prometheus-io/lezer-promql';

/** A selector in a PromQL expression. */
export interface Selector {
  name: string;
  matchers: { label: string; operator: string; value: string }[];
}
export interface Asked {
  selectors: Selector[];
  /** Labels that are grouped by or matched on, with the selectors that must have them. */
  groups: { labels: string[]; of: Selector[] }[];
}

type Node = ReturnType<typeof parser.parse>['topNode'];

/** Functions that take a range vector; all others, operators and aggregations take an instant vector. */
const OF_RANGE = /^(rate|irate|increase|delta|idelta|deriv|changes|resets|\w+_over_time)$/;
const TAKERS = ['FunctionCall', 'AggregateExpr', 'BinaryExpr'];

/** Reads an expression. Throws at what Prometheus would refuse: syntax errors, a range vector where none is allowed, or a missing one. */
export function readPromql(text: string): Asked {
  const { topNode } = parser.parse(text);
  const said = ({ from, to }: Node) => text.slice(from, to);
  const [broken] = within(topNode, '⚠');
  if (broken) throw new Error(`«${text}» can't be read from «${text.slice(broken.from)}» on`);

  const selectorOf = (node: Node): Selector => {
    const range = node.parent?.name === 'MatrixSelector';
    const [, taker = ''] = /^(\w+)\(/.exec(said(takerOf(node) ?? topNode)) ?? [];
    if (range !== OF_RANGE.test(taker))
      throw new Error(`«${said(node)}»: a range is ${range ? 'not taken' : 'missing'}`);
    const matchers = within(node, 'UnquotedLabelMatcher').map((matcher) => {
      const [label, operator, value] = ['LabelName', 'MatchOp', 'StringLiteral'].map((name) => matcher.getChild(name)!);
      return { label: said(label!), operator: said(operator!), value: said(value!).slice(1, -1) };
    });
    return { name: said(node.getChild('Identifier')!), matchers };
  };
  const selectorsIn = (node: Node) => within(node, 'VectorSelector').map(selectorOf);
  /** The selectors whose labels are in the result; those after `and` and `unless` only decide which samples stay. */
  const leavingOf = (node: Node) => {
    const deciding = within(node, 'BinaryExpr').flatMap((operation) =>
      operation.getChild('And') || operation.getChild('Unless') ? within(operation.lastChild!, 'VectorSelector') : [],
    );
    const left = within(node, 'VectorSelector').filter(({ from }) => !deciding.some((one) => one.from === from));
    return left.map(selectorOf);
  };

  const groups = within(topNode, 'GroupingLabels').map((list) => ({
    labels: within(list, 'LabelName').map(said),
    of: takerOf(list)!.name === 'AggregateExpr' ? leavingOf(takerOf(list)!) : selectorsIn(takerOf(list)!),
  }));
  return { selectors: selectorsIn(topNode), groups };
}

/** The call, aggregation or operation that a node is part of. */
function takerOf(node: Node): Node | null {
  let taker = node.parent;
  while (taker && !TAKERS.includes(taker.name)) taker = taker.parent;
  return taker;
}

/** All nodes of that name, in order. */
function within(node: Node, name: string): Node[] {
  const found: Node[] = [];
  node.cursor().iterate((at) => {
    if (at.name === name) found.push(at.node);
  });
  return found;
}
