import { TypeGuards, type Expression, type Filter } from 'liquidjs';

/** Filters whose output is safe in html. */
export const ESCAPING_FILTERS = ['escape', 'escape_once', 'xml_escape'];
/** Filters that only remove blanks, unless they are told what to remove. */
const BLANK_FILTERS = ['strip', 'lstrip', 'rstrip', 'strip_newlines', 'squish', 'normalize_whitespace'];

/** The name of a variable that is named alone, without a property, an operator or brackets. */
function variableName(token: unknown): string | undefined {
  if (!TypeGuards.isPropertyAccessToken(token) || token.variable || token.props.length !== 1) return undefined;
  const [name] = token.props;
  return TypeGuards.isWordToken(name) ? name.content : undefined;
}

/** What Liquid's context has, but does not declare. */
interface Scopes {
  findScope(name: string): object;
  /** Where templates set variables. */
  bottom(): object;
}

/**
 * The variables of a rendering that hold html which the template made: what it captured, or escaped itself. They are known by name, as an
 * equal value from elsewhere is not html.
 */
export class HtmlVariables {
  private readonly names = new Set<string>();

  constructor(private readonly scopes: Scopes) {}

  /** Takes a variable that the template sets. */
  note(name: string, isHtml: boolean): void {
    if (isHtml) this.names.add(name);
    else this.names.delete(name);
  }

  isHtml({ postfix }: Expression): boolean {
    return this.names.size > 0 && postfix.length === 1 && this.isName(postfix[0]!);
  }

  /** Whether the output of a filter is html. A `default` passes on what it is given, or what it is to replace that by. */
  isHtmlAfter({ name, args }: Filter, isHtmlBefore: boolean, isReplaced: boolean): boolean {
    if (ESCAPING_FILTERS.includes(name)) return true;
    if (name === 'default' && isReplaced) return this.names.size > 0 && this.isName(args[0]);
    return isHtmlBefore && (name === 'default' || (args.length === 0 && BLANK_FILTERS.includes(name)));
  }

  private isName(token: unknown): boolean {
    const name = variableName(token);
    if (name === undefined || !this.names.has(name)) return false;
    // The variable of a loop may hide it.
    return this.scopes.findScope(name) === this.scopes.bottom();
  }
}
