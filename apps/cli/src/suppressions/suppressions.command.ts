import type { Command } from 'commander';
import { parseCount, parseFilter, parseSince, requireIdsOrAll } from '../arguments';
import { CommandFault } from '../command.fault';
import type { Gateway } from '../gateway/gateway';
import { openGateway } from '../gateway/open.gateway';
import { printList, type Listing } from '../listing';
import { json } from '../output';
import { confirm, questionOf } from '../question';
import type { Terminal } from '../terminal';
import { removalText, removeAll } from './suppressions.removal';
import { isNarrowed, search, searchText, type FoundSuppression, type SearchOptions } from './suppressions.search';

interface Options extends SearchOptions {
  json?: boolean;
  limit: number;
  all?: boolean;
  yes?: boolean;
}

const LISTING: Listing<FoundSuppression> = {
  columns: ['ADDRESS', 'SUPPRESSED', 'REASON', 'MESSAGE'],
  cells: ({ address, at, reason, message_id }) => [address, at, reason, message_id ?? ''],
  none: 'No suppressions.\n',
};
const NO_REASON = 'Give --reason: whoever complained or unsubscribed is not to get mail because of a bounce.';

/** `lettermill suppressions list|remove`: over the API, like any other client. */
export function addSuppressions(program: Command, terminal: Terminal): void {
  const suppressions = program
    .command('suppressions')
    .description('suppressed addresses of the account of LETTERMILL_API_KEY, at GATEWAY_URL: list or remove them');
  addFilterOptions(suppressions.command('list').description('suppressions that match all filters, newest first'))
    .option('--limit <number>', 'at most this many', parseCount, 100)
    .action((options: Options) => list(terminal, options));
  addFilterOptions(
    suppressions.command('remove [addresses...]').description('removes suppressions, as after a false wave of bounces'),
  )
    .option('--all', 'all suppressions that match the filters, instead of addresses')
    .option('--yes', 'do not ask for confirmation')
    .action((addresses: string[], options: Options) => remove(terminal, addresses, options));
}

function addFilterOptions(command: Command): Command {
  return command
    .option('--reason <reason>', 'with this reason', parseFilter)
    .option('--domain <domain>', 'at this domain', parseFilter)
    .option('--since <time>', 'suppressed since: 90m, 2h, 7d or an RFC 3339 time', parseSince)
    .option('--json', 'print JSON');
}

/** Yields at most `most`. */
async function* first<T>(items: AsyncIterable<T>, most: number): AsyncGenerator<T> {
  let left = most;
  for await (const item of items) {
    yield item;
    left -= 1;
    if (left === 0) return;
  }
}

async function list(terminal: Terminal, options: Options): Promise<void> {
  const gateway = await openGateway(terminal);
  const find = (most: number) => first(search(gateway, options, Date.now()), most);
  await printList(terminal.stdout, options, find, LISTING);
}

async function remove(terminal: Terminal, addresses: string[], options: Options): Promise<void> {
  const { all, reason } = options;
  requireIdsOrAll(addresses, all, isNarrowed(options), 'addresses');
  if (reason === undefined) throw new CommandFault(NO_REASON, 2);
  const gateway = await openGateway(terminal);
  const chosen = all ? await findConfirmed(gateway, terminal, options) : addresses;
  const { failure, ...report } = await removeAll(gateway, chosen, reason);
  terminal.stdout.write(options.json ? json(report) : removalText(report));
  if (failure) throw failure;
  if (report.refused.length > 0) throw new CommandFault(`${report.refused.length} refused.`, 3);
}

async function findConfirmed(gateway: Gateway, terminal: Terminal, options: Options): Promise<string[]> {
  const addresses: string[] = [];
  for await (const { address } of search(gateway, options, Date.now())) addresses.push(address);
  const question = questionOf(addresses.length, 'suppression', searchText(options), 'removed');
  if (addresses.length > 0 && !options.yes) await confirm(terminal, question);
  return addresses;
}
