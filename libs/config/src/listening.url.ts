/** The address of what listens at this host and port. */
export function listeningUrl(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Replaces the wildcard address, which nobody can call: whoever does is most likely on the same machine. */
export function reachableUrl(url: string): string {
  return url.replace(/\/\/(0\.0\.0\.0|\[::\])(?=:)/, '//127.0.0.1');
}
