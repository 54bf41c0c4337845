import { once } from 'node:events';
import type { MessageAnswer } from '@lettermill/events';
import type { Command } from 'commander';
import { parseCount, parseFilter, requireIdsOrAll, parseSince } from '../arguments';
import { CommandFault } from '../command.fault';
import { tableLines, json, jsonList } from '../output';
import { confirm, questionOf } from '../question';
import type { Terminal } from '../terminal';
import { Gateway } from '../gateway/gateway';
import { giveOrder, orderText, type Order } from './messages.orders';
import { isFiltered, search, searchText, type FoundMessage, type SearchOptions } from './messages.search';
import { messageText } from './messages.text';
import { refusalText } from '../gateway/refusal';

interface Options extends SearchOptions {
  json?: boolean;
  limit: number;
  all?: boolean;
  yes?: boolean;
}

const ORDER_PARTICIPLES: Record<Order, string> = { cancel: 'cancelled', retry: 'retried' };
const COLUMN_NAMES = ['MESSAGE', 'ACCEPTED', 'STATE', 'REASON', 'CAMPAIGN', 'CONTACT'];

function openGateway({ env, stderr }: Terminal): Promise<Gateway> {
  return Gateway.of(env, (text) => void stderr.write(`${text}\n`));
}

/** `lettermill messages list|show|cancel|retry`: over the API, like any other client. */
export function addMessages(program: Command, terminal: Terminal): void {
  const messages = program
    .command('messages')
    .description('messages of the account of LETTERMILL_API_KEY, at GATEWAY_URL: find, show, cancel or retry them');
  addFilterOptions(messages.command('list').description('messages that match all filters, newest first'))
    .option('--limit <number>', 'at most this many', parseCount, 100)
    .action((options: Options) => list(terminal, options));
  messages
    .command('show <id>')
    .description('one message: its state and why, its steps, and what each attempt was answered')
    .option('--json', 'print JSON, as GET /v2/messages/{message_id} answers it')
    .action((id: string, options: Options) => show(terminal, id, options));
  addOrderCommand(messages, terminal, 'cancel', 'cancels messages that still wait to be sent');
  addOrderCommand(messages, terminal, 'retry', 'tries messages again at once, with the same mail');
}

function addFilterOptions(command: Command): Command {
  return command
    .option('--campaign <slug>', 'of this campaign (slug or id)', parseFilter)
    .option('--state <states>', 'in this state, or in any of several: deferred,uncertain', parseFilter)
    .option('--reason <code>', 'with this reason code', parseFilter)
    .option('--contact <key>', 'to this contact (address, id or key)', parseFilter)
    .option('--request-id <id>', 'of the send call with this id', parseFilter)
    .option('--external-message-id <id>', 'with this id, given by the caller', parseFilter)
    .option('--since <time>', 'accepted since: 90m, 2h, 7d or an RFC 3339 time', parseSince)
    .option('--json', 'print JSON');
}

function addOrderCommand(messages: Command, terminal: Terminal, name: Order, description: string): void {
  addFilterOptions(messages.command(`${name} [ids...]`).description(description))
    .option('--all', 'all messages that match the filters, instead of ids')
    .option('--yes', 'do not ask for confirmation')
    .action((ids: string[], options: Options) => carryOut(terminal, name, ids, options));
}

async function list(terminal: Terminal, options: Options): Promise<void> {
  const { stdout } = terminal;
  const { json: asJson, limit } = options;
  const gateway = await openGateway(terminal);
  // One more than is shown tells whether there are more.
  const found = search(gateway, options, Date.now(), asJson ? limit : limit + 1);
  if (!asJson) return void stdout.write(await listText(found, limit));
  for await (const text of jsonList(found)) if (!stdout.write(text)) await once(stdout, 'drain');
}

/** Keeps only the cells, because there may be a million messages. */
async function listText(found: AsyncIterable<FoundMessage>, limit: number): Promise<string> {
  const rows: string[][] = [];
  for await (const { message_id, created_at, state, reason, campaign, contact_key } of found)
    rows.push([message_id, created_at, state, reason?.code ?? '', campaign.slug, Object.values(contact_key)[0] ?? '']);
  if (rows.length === 0) return 'No messages.\n';
  const rest = rows.length > limit ? ['… more; use --limit'] : [];
  return [...tableLines(COLUMN_NAMES, rows.slice(0, limit)), ...rest, ''].join('\n');
}

async function show(terminal: Terminal, id: string, options: Options): Promise<void> {
  const gateway = await openGateway(terminal);
  const answer = await gateway.call<MessageAnswer>('GET', `/v2/messages/${encodeURIComponent(id)}`);
  const { status, body } = answer;
  if (status !== 200 || !body.message_id) throw new CommandFault(refusalText(answer), status === 404 ? 3 : 1);
  terminal.stdout.write(options.json ? json(body) : messageText(body));
}

async function carryOut(terminal: Terminal, name: Order, ids: string[], options: Options): Promise<void> {
  requireIdsOrAll(ids, options.all, isFiltered(options));
  const gateway = await openGateway(terminal);
  const chosen = options.all ? await findConfirmedIds(gateway, terminal, name, options) : ids;
  const { failure, ...report } = await giveOrder(gateway, name, chosen);
  terminal.stdout.write(options.json ? json(report) : orderText(name, report));
  if (failure) throw failure;
  if (report.refused.length > 0) throw new CommandFault(`${report.refused.length} refused.`, 3);
}

/** Messages accepted after the question was asked are not affected by its answer. Keeps only ids, because there may be a million. */
async function findConfirmedIds(
  gateway: Gateway,
  terminal: Terminal,
  name: Order,
  options: Options,
): Promise<string[]> {
  const ids: string[] = [];
  for await (const { message_id } of search(gateway, options, Date.now())) ids.push(message_id);
  const question = questionOf(ids.length, 'message', searchText(options), ORDER_PARTICIPLES[name]);
  if (ids.length > 0 && !options.yes) await confirm(terminal, question);
  return ids;
}
