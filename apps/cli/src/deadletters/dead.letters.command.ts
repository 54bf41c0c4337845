import type { Command } from 'commander';
import type { Decision, DecisionReport } from '@lettermill/log';
import { parseCount, parseFilter, requireIdsOrAll, parseSince } from '../arguments';
import { CommandFault } from '../command.fault';
import { json } from '../output';
import { confirm, questionOf } from '../question';
import type { Terminal } from '../terminal';
import { filterOf, filterText, isFiltered, type FilterOptions } from './dead.letters.filter';
import { contentText, listText, reportText } from './dead.letters.text';
import type { DeadLetterOperations } from './dead.letters.remote';

interface Options extends FilterOptions {
  json?: boolean;
  limit: number;
  all?: boolean;
  yes?: boolean;
}

/** Loads the log and its dependencies only for commands that use them, not for one that only shows help. */
async function withDeadLetters<T>(
  env: NodeJS.ProcessEnv,
  work: (deadLetters: DeadLetterOperations) => Promise<T>,
): Promise<T> {
  const access = await import('./dead.letters.access.js');
  return access.withDeadLetters(env, work);
}

/** `lettermill dead-letters list|show|redrive|discard`. */
export function addDeadLetters(program: Command, terminal: Terminal): void {
  const letters = program
    .command('dead-letters')
    .description('records that no service could handle: list, redrive or discard them');
  addFilterOptions(letters.command('list').description('open dead letters, newest first'))
    .option('--limit <number>', 'at most this many', parseCount, 100)
    .action((options: Options) => list(terminal, options));
  letters
    .command('show <id>')
    .description('one dead letter with its headers and content, personal data included')
    .option('--json', 'print JSON')
    .action((id: string, options: Options) => show(terminal, id, options));
  addDecisionCommand(
    letters,
    'redrive',
    'puts records back on their topics, for the group that could not handle them',
    (ids, options) => decide(terminal, 'redriven', ids, options),
  );
  addDecisionCommand(
    letters,
    'discard',
    'removes records from the list; they are stored until retention removes them',
    (ids, options) => decide(terminal, 'discarded', ids, options),
  );
}

function addFilterOptions(command: Command): Command {
  return command
    .option('--topic <name>', 'that came from this topic', parseFilter)
    .option('--group <name>', 'that this consumer group could not handle', parseFilter)
    .option('--code <code>', 'with this error code', parseFilter)
    .option('--since <time>', 'put aside since: 90m, 2h, 7d or an RFC 3339 time', parseSince)
    .option('--json', 'print JSON');
}

function addDecisionCommand(
  letters: Command,
  name: string,
  description: string,
  action: (ids: string[], options: Options) => Promise<void>,
): void {
  addFilterOptions(letters.command(`${name} [ids...]`).description(description))
    .option('--all', 'all open dead letters that match the filters, instead of ids')
    .option('--yes', 'do not ask for confirmation')
    .action(action);
}

async function list({ env, stdout }: Terminal, options: Options): Promise<void> {
  const found = await withDeadLetters(env, (deadLetters) =>
    deadLetters.list(filterOf(options, Date.now()), options.limit),
  );
  stdout.write(options.json ? json(found) : listText(found));
}

async function show({ env, stdout }: Terminal, id: string, options: Options): Promise<void> {
  const found = await withDeadLetters(env, (deadLetters) => deadLetters.show(id));
  if (!found) throw new CommandFault(`There is no dead letter ${id}.`, 3);
  stdout.write(options.json ? json(found) : contentText(found));
}

async function decide(terminal: Terminal, decision: Decision, ids: string[], options: Options): Promise<void> {
  requireIdsOrAll(ids, options.all, isFiltered(options));
  const report = await withDeadLetters(terminal.env, (deadLetters) =>
    options.all ? decideAll(deadLetters, terminal, decision, options) : deadLetters.decide(decision, { ids }),
  );
  terminal.stdout.write(options.json ? json(report) : reportText(decision, report));
  if (report.refused.length > 0) throw new CommandFault(`${report.refused.length} not ${decision}.`, 3);
}

/** Records that become dead letters after the question was asked are not affected by its answer. */
async function decideAll(
  deadLetters: DeadLetterOperations,
  terminal: Terminal,
  decision: Decision,
  options: Options,
): Promise<DecisionReport> {
  const now = Date.now();
  const filter = { ...filterOf(options, now), until: new Date(now).toISOString() };
  const { total } = await deadLetters.list(filter, 0);
  if (total === 0) return { done: [], refused: [] };
  const question = questionOf(total, 'dead letter', filterText(filter), decision);
  if (!options.yes) await confirm(terminal, question);
  return deadLetters.decide(decision, { filter });
}
