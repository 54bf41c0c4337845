import type { Command } from 'commander';
import type { Decision, DecisionReport } from '@lettermill/log';
import { count, idsOrAll, since } from '../arguments';
import { CommandFault } from '../command.fault';
import { json } from '../output';
import { confirmed, meant } from '../question';
import type { Terminal } from '../terminal';
import { filterOf, filterText, isFiltered, type FilterOptions } from './dead.letters.filter';
import { contentText, listText, reportText } from './dead.letters.text';
import type { Desk } from './desk.running';

interface Options extends FilterOptions {
  json?: boolean;
  limit: number;
  all?: boolean;
  yes?: boolean;
}

/** Loads the log and its dependencies only for commands that use them, not for one that only shows help. */
async function atDesk<T>(env: NodeJS.ProcessEnv, work: (desk: Desk) => Promise<T>): Promise<T> {
  const desk = await import('./desk.js');
  return desk.atDesk(env, work);
}

/** `lettermill dead-letters list|show|redrive|discard`. */
export function addDeadLetters(program: Command, terminal: Terminal): void {
  const letters = program
    .command('dead-letters')
    .description('records that no service could handle: list, redrive or discard them');
  filters(letters.command('list').description('open dead letters, newest first'))
    .option('--limit <number>', 'at most this many', count, 100)
    .action((options: Options) => list(terminal, options));
  letters
    .command('show <id>')
    .description('one dead letter with its headers and content, personal data included')
    .option('--json', 'print JSON')
    .action((id: string, options: Options) => show(terminal, id, options));
  decider(
    letters,
    'redrive',
    'puts records back on their topics, for the group that could not handle them',
    (ids, options) => decide(terminal, 'redriven', ids, options),
  );
  decider(
    letters,
    'discard',
    'removes records from the list; they are stored until retention removes them',
    (ids, options) => decide(terminal, 'discarded', ids, options),
  );
}

function filters(command: Command): Command {
  return command
    .option('--topic <name>', 'that came from this topic')
    .option('--group <name>', 'that this consumer group could not handle')
    .option('--code <code>', 'with this error code')
    .option('--since <time>', 'put aside since: 90m, 2h, 7d or an RFC 3339 time', since)
    .option('--json', 'print JSON');
}

function decider(
  letters: Command,
  name: string,
  description: string,
  action: (ids: string[], options: Options) => Promise<void>,
): void {
  filters(letters.command(`${name} [ids...]`).description(description))
    .option('--all', 'all open dead letters that match the filters, instead of ids')
    .option('--yes', 'do not ask for confirmation')
    .action(action);
}

async function list({ env, stdout }: Terminal, options: Options): Promise<void> {
  const found = await atDesk(env, (desk) => desk.list(filterOf(options, Date.now()), options.limit));
  stdout.write(options.json ? json(found) : listText(found));
}

async function show({ env, stdout }: Terminal, id: string, options: Options): Promise<void> {
  const found = await atDesk(env, (desk) => desk.show(id));
  if (!found) throw new CommandFault(`There is no dead letter ${id}.`, 3);
  stdout.write(options.json ? json(found) : contentText(found));
}

async function decide(terminal: Terminal, decision: Decision, ids: string[], options: Options): Promise<void> {
  idsOrAll(ids, options.all, isFiltered(options));
  const report = await atDesk(terminal.env, (desk) =>
    options.all ? decideAll(desk, terminal, decision, options) : desk.decide(decision, { ids }),
  );
  terminal.stdout.write(options.json ? json(report) : reportText(decision, report));
  if (report.refused.length > 0) throw new CommandFault(`${report.refused.length} not ${decision}.`, 3);
}

/** Records that become dead letters after the question was asked are not affected by its answer. */
async function decideAll(
  desk: Desk,
  terminal: Terminal,
  decision: Decision,
  options: Options,
): Promise<DecisionReport> {
  const now = Date.now();
  const filter = { ...filterOf(options, now), until: new Date(now).toISOString() };
  const { total } = await desk.list(filter, 0);
  if (total === 0) return { done: [], refused: [] };
  const question = meant(total, 'dead letter', filterText(filter), decision);
  if (!options.yes) await confirmed(terminal, question);
  return desk.decide(decision, { filter });
}
