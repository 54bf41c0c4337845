import { parser } from '@prometheus-io/lezer-promql';

/** A selector in a PromQL expression. */
export interface Selector {
  name: string;
  matchers: { label: string; operator: string; value: string }[];
}
export interface ReadQuery {
  selectors: Selector[];
  /** Labels that are grouped by or matched on, with the selectors that must have them. */
  groups: { labels: string[]; of: Selector[] }[];
}

type Node = ReturnType<typeof parser.parse>['topNode'];

/** Functions that take a range vector; all others, operators and aggregations take an instant vector. */
const RANGE_FUNCTIONS = /^(rate|irate|increase|delta|idelta|deriv|changes|resets|\w+_over_time)$/;
const OPERATION_NODES = ['FunctionCall', 'AggregateExpr', 'BinaryExpr'];

/** Reads an expression. Throws at what Prometheus would refuse: syntax errors, a range vector where none is allowed, or a missing one. */
export function readPromql(text: string): ReadQuery {
  const { topNode } = parser.parse(text);
  const textOf = ({ from, to }: Node) => text.slice(from, to);
  const [broken] = nodesNamed(topNode, '⚠');
  if (broken) throw new Error(`«${text}» can't be read from «${text.slice(broken.from)}» on`);

  const selectorOf = (node: Node): Selector => {
    const range = node.parent?.name === 'MatrixSelector';
    const [, functionName = ''] = /^(\w+)\(/.exec(textOf(enclosingOperation(node) ?? topNode)) ?? [];
    if (range !== RANGE_FUNCTIONS.test(functionName))
      throw new Error(`«${textOf(node)}»: a range is ${range ? 'not taken' : 'missing'}`);
    const matchers = nodesNamed(node, 'UnquotedLabelMatcher').map((matcher) => {
      const [label, operator, value] = ['LabelName', 'MatchOp', 'StringLiteral'].map((name) => matcher.getChild(name)!);
      return { label: textOf(label!), operator: textOf(operator!), value: textOf(value!).slice(1, -1) };
    });
    return { name: textOf(node.getChild('Identifier')!), matchers };
  };
  const selectorsIn = (node: Node) => nodesNamed(node, 'VectorSelector').map(selectorOf);
  /** The selectors whose labels are in the result; those after `and` and `unless` only decide which samples stay. */
  const resultSelectors = (node: Node) => {
    const deciding = nodesNamed(node, 'BinaryExpr').flatMap((operation) =>
      operation.getChild('And') || operation.getChild('Unless')
        ? nodesNamed(operation.lastChild!, 'VectorSelector')
        : [],
    );
    const left = nodesNamed(node, 'VectorSelector').filter(({ from }) => !deciding.some((one) => one.from === from));
    return left.map(selectorOf);
  };

  const groups = nodesNamed(topNode, 'GroupingLabels').map((list) => ({
    labels: nodesNamed(list, 'LabelName').map(textOf),
    of:
      enclosingOperation(list)!.name === 'AggregateExpr'
        ? resultSelectors(enclosingOperation(list)!)
        : selectorsIn(enclosingOperation(list)!),
  }));
  return { selectors: selectorsIn(topNode), groups };
}

/** The call, aggregation or operation that a node is part of. */
function enclosingOperation(node: Node): Node | null {
  let operation = node.parent;
  while (operation && !OPERATION_NODES.includes(operation.name)) operation = operation.parent;
  return operation;
}

/** All nodes of that name, in order. */
function nodesNamed(node: Node, name: string): Node[] {
  const found: Node[] = [];
  node.cursor().iterate((at) => {
    if (at.name === name) found.push(at.node);
  });
  return found;
}
