import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MESSAGE_STATES, TIMELINE_TYPES } from '@lettermill/events';
import { ANSWERS } from '@lettermill/problems';
import type { Command } from 'commander';
import { commandLine } from '../apps/cli/src/command.line';
import type { Terminal } from '../apps/cli/src/terminal';
import { SEARCH_PARAMETERS } from '../apps/tracker/src/search/search.query';

interface Response {
  content?: Record<string, { examples?: object }>;
}
interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; example?: unknown }[];
  responses: Record<string, Response & { $ref?: string }>;
}
interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, { properties?: object; required?: string[] }>;
    responses: Record<string, Response>;
  };
}

const read = (path: string) => readFileSync(join(__dirname, '..', 'docs', path), 'utf8');
const { paths, components } = JSON.parse(read('openapi.json')) as ApiDocument;
const page = read('api.md');

const responsesOf = ({ responses }: Operation): [status: string, Response][] =>
  Object.entries(responses).map(([status, response]) => [
    status,
    response.$ref ? components.responses[response.$ref.replace(/^.*\//, '')]! : response,
  ]);

const sectionOf = (title: string) => page.split(/^## /m).find((one) => one.startsWith(`${title}\n`))!;

/** The names in the first column of the table in a section. */
function namesInTable(section: string): string[] {
  const text = sectionOf(section);
  const cells = text.split('\n').map((line) => /^\| (`.*?) +\|/.exec(line)?.[1] ?? '');
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!));
}

it('the OpenAPI document shows every refusal of the error table at some call', () => {
  const responses = Object.values(paths).flatMap((calls) => Object.values(calls).flatMap(responsesOf));
  const shown = responses.flatMap(([, { content = {} }]) =>
    Object.values(content).flatMap(({ examples = {} }) => Object.keys(examples)),
  );
  // A method that an address does not allow is no call that the document could show.
  const known = Object.keys(ANSWERS).filter((code) => code !== 'method_not_allowed');
  expect(known.filter((code) => !shown.includes(code))).toEqual([]);
});

it('every operationId is unique and in camel case', () => {
  const names = Object.values(paths).flatMap((calls) => Object.values(calls).map(({ operationId }) => operationId));
  expect(names.filter((name) => !/^[a-z]+(?:[A-Z][a-z]+)*$/.test(name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});

it('every parameter has an example', () => {
  const parameters = Object.values(paths).flatMap((calls) =>
    Object.values(calls).flatMap(({ operationId, parameters = [] }) =>
      parameters.map(({ name, example }) => ({ operationId, name, example })),
    ),
  );
  expect(parameters.filter(({ example, name }) => example === undefined && name !== 'cursor')).toEqual([]);
});

it('/health/ready documents its 503 as a problem', () => {
  const { content } = new Map(responsesOf(paths['/health/ready']!.get!)).get('503')!;
  expect(Object.keys(content!)).toEqual(['application/problem+json']);
  expect(Object.keys(content!['application/problem+json']!.examples!)).toEqual(['unavailable']);
});

it('the Campaign schema has every property of CampaignLaunch', () => {
  const propertiesOf = (name: string) => Object.keys(components.schemas[name]!.properties!);
  expect(propertiesOf('CampaignLaunch').filter((name) => !propertiesOf('Campaign').includes(name))).toEqual([]);
});

it('the Campaign schema always has what CampaignLaunch requires: a client can write back what it has read', () => {
  const { Campaign, CampaignLaunch } = components.schemas;
  expect(Campaign!.required).toEqual(expect.arrayContaining(CampaignLaunch!.required!));
});

describe('the page of the API', () => {
  it('has the path of every call that needs a key', () => {
    const calls = Object.keys(paths).filter((path) => path.startsWith('/v2/'));
    expect(calls.length).toBeGreaterThan(10);
    const names = page.replace(/\{slug or id\}|\{slug\}/g, '{campaign}').replaceAll('…/retry', '/retry');
    // The page lists `retry` beside other calls for a message, without repeating the path.
    const short = (path: string) => path.replace(/^\/v2\/messages\/\{message_id\}(?=\/retry$)/, '');
    expect(calls.filter((path) => !names.includes(short(path)))).toEqual([]);
  });

  it('has every status of a refusal', () => {
    const told = [...sectionOf('Refusals').matchAll(/^\| (\d{3}) +\|/gm)].map(([, status]) => Number(status));
    const known = Object.values(ANSWERS).map(({ status }) => status);
    expect(told).toEqual([...new Set(known)].sort());
  });

  it('has every parameter of the search', () => {
    const known = paths['/v2/messages']!.get!.parameters!.filter((one) => one.in === 'query').map(({ name }) => name);
    expect(namesInTable('Finding messages').sort()).toEqual(known.sort());
    expect([...SEARCH_PARAMETERS].sort()).toEqual(known);
  });

  it('has every entry of a timeline that is no state', () => {
    const states: readonly string[] = MESSAGE_STATES;
    const section = sectionOf('What became of a message');
    const others = TIMELINE_TYPES.filter((type) => !states.includes(type));
    expect(others.filter((type) => !section.includes(`\`${type}\``))).toEqual([]);
  });

  it('has every property of a campaign', () => {
    const known = Object.keys(components.schemas.CampaignLaunch!.properties!);
    expect(namesInTable('Campaigns').sort()).toEqual(known.sort());
  });
});

it('the page of the send call or that of the API names every property of the call', () => {
  const schemas = ['SendEmailRequest', 'EmailMessageRecipient', 'EmailMessageDetails'];
  const known = schemas.flatMap((name) => Object.keys(components.schemas[name]!.properties!));
  expect(known.length).toBeGreaterThan(15);
  const pages = page + read('send.md');
  expect(known.filter((name) => !new RegExp(`\`${name}\\b`).test(pages))).toEqual([]);
});

const program = commandLine({} as Terminal);

it('every command of lettermill is on its page', () => {
  const namesOf = (command: Command): string[] =>
    command.commands.length === 0
      ? [command.name()]
      : command.commands.flatMap(namesOf).map((name) => `${command.name()} ${name}`);
  const names = namesOf(program);
  expect(names.length).toBeGreaterThan(7);
  const commands = read('command.md');
  expect(names.filter((name) => !commands.includes(name))).toEqual([]);
});

it('lettermill messages has an option for every parameter of the search, and the page of it names them', () => {
  const messages = program.commands.find((command) => command.name() === 'messages');
  const known = SEARCH_PARAMETERS.filter((name) => !['from', 'to', 'limit', 'cursor'].includes(name));
  const options = known.map((name) => `--${name.replaceAll('_', '-')}`);
  for (const command of messages!.commands.filter((one) => one.name() !== 'show')) {
    expect(command.options.map(({ long }) => long)).toEqual(expect.arrayContaining(options));
  }
  const commands = read('command.md');
  expect(options.filter((option) => !commands.includes(option))).toEqual([]);
});
