import { refusalText, type Answer } from './refusal';

const GATEWAY_URL = 'http://127.0.0.1:3000';

it.each([
  [404, { detail: 'No \u001b[31msuch message.' }, 'No \ufffd[31msuch message.'],
  [422, { detail: 'A rule.', errors: [{ pointer: '/query/state', detail: 'A state.' }] }, 'A rule. --state: A state.'],
  [422, { detail: 'A rule.', errors: [{ pointer: '/to', detail: 'A list.' }] }, 'A rule. A list.'],
])('a refusal of %d with %j is told', (status, body, text) => {
  expect(refusalText({ url: GATEWAY_URL, status, body })).toBe(text);
});

it.each([
  [{}],
  [{ detail: null, errors: null }],
  [{ detail: [{ msg: 'no' }], errors: { a: 1 } }],
  [{ errors: [null, 'x', {}] }],
])('a refusal with %j is no gateway’s', (body: object) => {
  expect(refusalText({ url: GATEWAY_URL, status: 400, body } as Answer)).toBe(
    'http://127.0.0.1:3000 answers 400, but not like a gateway: check GATEWAY_URL.',
  );
});
