import type { Gateway } from '../gateway/gateway';
import { search, searchAll } from './messages.search';

describe('a search for messages', () => {
  const NOW = Date.parse('2026-11-21T12:00:00.000Z');
  let queries: URLSearchParams[] = [];
  const gatewayAnswering = (...answers: { status: number; body: object }[]) => {
    queries = [];
    const call = (_method: string, path: string) => {
      queries.push(new URL(path, 'http://gateway').searchParams);
      return Promise.resolve(answers.shift());
    };
    return { call } as unknown as Gateway;
  };
  const page = (ids: string[], next_cursor: string | null) => ({
    status: 200,
    body: { data: ids.map((message_id) => ({ message_id })), next_cursor },
  });
  const OPTIONS = { campaign: 'sale', since: '2h' };
  const idsOf = async (found: ReturnType<typeof search>) => {
    const ids: string[] = [];
    for await (const { message_id } of found) ids.push(message_id);
    return ids;
  };
  const findIds = (gateway: Gateway, maxIds = 500) => idsOf(search(gateway, OPTIONS, NOW, maxIds));

  it('reads all pages, or as many messages as it may', async () => {
    expect(await findIds(gatewayAnswering(page(['a', 'b'], 'c1'), page(['c'], null)))).toEqual(['a', 'b', 'c']);
    expect(queries.map((query) => query.get('cursor'))).toEqual([null, 'c1']);
    expect(await findIds(gatewayAnswering(page(['a', 'b'], 'c1'), page(['c'], 'c2')), 3)).toEqual(['a', 'b', 'c']);
    expect(queries.map((query) => query.get('limit'))).toEqual(['3', '1']);
  });

  it('sets no upper limit of time, as the clock of the gateway may be ahead', async () => {
    await findIds(gatewayAnswering(page([], null)));
    expect(queries.map(String)).toEqual(['campaign=sale&from=2026-11-21T10%3A00%3A00.000Z&limit=100']);
  });

  it('asks for all that was accepted, in a way that the gateway refuses to answer with a part', async () => {
    const gateway = gatewayAnswering(page(['a', 'b'], 'c1'), page(['c'], null));
    expect(await idsOf(searchAll(gateway, OPTIONS, NOW))).toEqual(['a', 'b', 'c']);
    expect(queries.map((query) => query.get('to'))).toEqual(['9999-12-31T00:00:00Z', '9999-12-31T00:00:00Z']);
  });

  it.each([
    [422, { detail: 'It is \u001b[31mwrong.', errors: [{ detail: 'A state.' }] }, 2, 'It is \ufffd[31mwrong. A state.'],
    [
      422,
      { detail: 'A rule.', errors: [{ pointer: '/query/request_id', detail: 'A UUID.' }] },
      2,
      'A rule. --request-id: A UUID.',
    ],
    [403, { detail: 'Not this key.' }, 1, 'Not this key.'],
    [404, { message: 'no route' }, 1, expect.stringContaining('404')],
    [200, {}, 1, expect.stringContaining('200')],
  ])('reports the response %d with %j', async (status, body, exitCode, message) => {
    await expect(findIds(gatewayAnswering({ status, body }))).rejects.toMatchObject({ exitCode, message });
  });
});
