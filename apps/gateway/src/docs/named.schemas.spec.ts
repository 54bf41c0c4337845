import { withNamesOfTitles, type Components } from './named.schemas';

const text = { type: 'string' };

it('a schema with a title becomes a component of that name, also within another', () => {
  const address = { title: 'Address', type: 'object', properties: { email: text } };
  const mail = { title: 'Mail', type: 'object', properties: { to: { type: 'array', items: address } } };
  const components: Components = {};
  const content = withNamesOfTitles({ 'application/json': { schema: mail } }, components);
  expect(content).toEqual({ 'application/json': { schema: { $ref: '#/components/schemas/Mail' } } });
  const items = { $ref: '#/components/schemas/Address' };
  expect(components).toEqual({ Address: address, Mail: { ...mail, properties: { to: { type: 'array', items } } } });
});

it('a property called title is no name, nor is the title of an example', () => {
  const schema = { type: 'object', properties: { title: text, type: text } };
  const operation = { schema, example: { title: 'Gone', type: 'about:blank' } };
  const components: Components = {};
  expect(withNamesOfTitles(operation, components)).toEqual(operation);
  expect(components).toEqual({});
});
