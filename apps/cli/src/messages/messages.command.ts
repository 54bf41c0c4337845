import type { MessageAnswer } from '@lettermill/events';
import type { Command } from 'commander';
import { parseCount, parseFilter, requireIdsOrAll, parseSince } from '../arguments';
import { CommandFault } from '../command.fault';
import { printList, type Listing } from '../listing';
import { json } from '../output';
import { confirm, questionOf } from '../question';
import type { Terminal } from '../terminal';
import type { Gateway } from '../gateway/gateway';
import { openGateway } from '../gateway/open.gateway';
import { giveOrder, orderText, type Order } from './messages.orders';
import { isFiltered, search, searchAll, searchText, type FoundMessage, type SearchOptions } from './messages.search';
import { messageText } from './messages.text';
import { refusalText } from '../gateway/refusal';

interface Options extends SearchOptions {
  json?: boolean;
  limit: number;
  all?: boolean;
  yes?: boolean;
}

const ORDER_PARTICIPLES: Record<Order, string> = { cancel: 'cancelled', retry: 'retried' };
const LISTING: Listing<FoundMessage> = {
  columns: ['MESSAGE', 'ACCEPTED', 'STATE', 'REASON', 'CAMPAIGN', 'CONTACT'],
  cells: ({ message_id, created_at, state, reason, campaign, contact_key }) => {
    const [contact = ''] = Object.values(contact_key);
    return [message_id, created_at, state, reason?.code ?? '', campaign.slug, contact];
  },
  none: 'No messages.\n',
};

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
  const gateway = await openGateway(terminal);
  await printList(terminal.stdout, options, (most) => search(gateway, options, Date.now(), most), LISTING);
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
  const { failure, ...outcome } = await giveOrder(gateway, name, chosen);
  terminal.stdout.write(options.json ? json(outcome) : orderText(name, outcome));
  if (failure) throw failure;
  if (outcome.refused.length > 0) throw new CommandFault(`${outcome.refused.length} refused.`, 3);
}

/** Messages accepted after the question was asked are not affected by its answer. Keeps only ids, because there may be a million. */
async function findConfirmedIds(
  gateway: Gateway,
  terminal: Terminal,
  name: Order,
  options: Options,
): Promise<string[]> {
  const ids: string[] = [];
  for await (const { message_id } of searchAll(gateway, options, Date.now())) ids.push(message_id);
  const question = questionOf(ids.length, 'message', searchText(options), ORDER_PARTICIPLES[name]);
  if (ids.length > 0 && !options.yes) await confirm(terminal, question);
  return ids;
}
