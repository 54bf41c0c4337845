interface Route {
  method: string;
  pattern: RegExp;
}

function patternOf(url: string): RegExp {
  const source = url
    .split('/')
    .map((part) => (part.startsWith(':') ? '[^/]+' : part === '*' ? '.*' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
    .join('/');
  return new RegExp(`^${source}$`);
}

/** Remembers the routes of a server, to tell a 405 from a 404. */
export class AllowedMethods {
  private readonly routes: Route[] = [];

  add(method: string | string[], url: string): void {
    const pattern = patternOf(url);
    for (const one of Array.isArray(method) ? method : [method]) this.routes.push({ method: one, pattern });
  }

  /** Methods that any path allows, sorted. */
  all(): string[] {
    return [...new Set(this.routes.map(({ method }) => method))].sort();
  }

  /** Methods that the path allows, sorted; empty if there is no such path. */
  of(path: string): string[] {
    const methods = this.routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
    return [...new Set(methods)].sort();
  }
}
