import { readFileSync } from 'node:fs';

/** What nobody wants in an environment that every child process and every inspection shows. */
export const SECRETS = [
  ...[
    'INTERNAL_SECRET',
    'FORMER_INTERNAL_SECRET',
    'DKIM_KEY_SECRET',
    'FORMER_DKIM_KEY_SECRET',
    'LETTERMILL_API_KEY',
    'BOOTSTRAP_API_KEY',
    'REVOKED_API_KEYS',
    'MONGODB_URI',
    'SMTP_URL',
  ],
  'KAFKA_SASL_PASSWORD',
];

/** `X_FILE` names the file that holds X, for each of the secrets; where X is set, too, X counts. */
export function withSecretFiles(
  environment: NodeJS.ProcessEnv,
  complain: (variable: string, problem: string) => void,
): NodeJS.ProcessEnv {
  const read: NodeJS.ProcessEnv = {};
  for (const name of SECRETS) {
    const path = environment[`${name}_FILE`]?.trim();
    if (!path || environment[name]?.trim()) continue;
    try {
      read[name] = readFileSync(path, 'utf8').trim();
      if (!read[name]) complain(`${name}_FILE`, `names ${path}, which is empty`);
    } catch (error) {
      complain(`${name}_FILE`, `names ${path}, which can't be read (${(error as NodeJS.ErrnoException).code})`);
    }
  }
  return { ...environment, ...read };
}
