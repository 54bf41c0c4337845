import { readFileSync } from 'node:fs';

/** Variables that should not have to be in the environment, which child processes inherit and inspection tools show. */
export const SECRET_VARIABLES = [
  'INTERNAL_SECRET',
  'FORMER_INTERNAL_SECRET',
  'DKIM_KEY_SECRET',
  'FORMER_DKIM_KEY_SECRET',
  'LETTERMILL_API_KEY',
  'BOOTSTRAP_API_KEY',
  'REVOKED_API_KEYS',
  'MONGODB_URI',
  'SMTP_URL',
  'KAFKA_SASL_PASSWORD',
];

/** Reads each secret X from the file that `X_FILE` names. If X is set, too, X counts. */
export function withSecretFiles(
  environment: NodeJS.ProcessEnv,
  complain: (variable: string, problem: string) => void,
): NodeJS.ProcessEnv {
  const read: NodeJS.ProcessEnv = {};
  for (const name of SECRET_VARIABLES) {
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
