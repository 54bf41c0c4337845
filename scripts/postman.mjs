// Writes docs/postman.json from docs/openapi.json; the same document gives the same bytes. With --check it only reports differences.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';

const require = createRequire(new URL('../tools/package.json', import.meta.url));
const { convertV2 } = require('openapi-to-postmanv2');
const TARGET = new URL('../docs/postman.json', import.meta.url);
const document = JSON.parse(readFileSync(new URL('../docs/openapi.json', import.meta.url), 'utf8'));
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
);

/** The value of a parameter: its example or default, else a placeholder. The converter would invent values. */
const exampleOf = ({ name, example, schema }) => String(example ?? schema?.default ?? `<${name}>`);

function uuid(text) {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function operationOf({ method, url }) {
  const path = `/${url.path.map((step) => step.replace(/^:(.*)$/, '{$1}')).join('/')}`;
  return operations.find((operation) => operation.path === path && operation.method === method);
}

function withExamples(parameters, values) {
  return values.map((value) => {
    const parameter = parameters.find(({ name }) => name === value.key);
    return parameter ? { ...value, value: exampleOf(parameter) } : value;
  });
}

function formOf(form) {
  const part = ([key, value]) =>
    key === 'json'
      ? { key, type: 'text', contentType: 'application/json', value: JSON.stringify(value, null, 2) }
      : { key, type: 'file', src: null };
  return { mode: 'formdata', formdata: Object.entries(form).map(part) };
}

/** One request for each example of the body, or a single one if it has none. */
function bodiesOf({ content = {} } = {}, body) {
  const json = Object.values(content['application/json']?.examples ?? {}).map(({ summary, value }) => {
    return { summary, body: { ...body, raw: JSON.stringify(value, null, 2) } };
  });
  const forms = Object.values(content['multipart/form-data']?.examples ?? {});
  const files = forms.map(({ summary, value }) => ({ summary, body: formOf(value), form: true }));
  return json.length > 0 ? [...json, ...files] : [{ body }];
}

function requestsOf({ name, request }) {
  const operation = operationOf(request);
  const { parameters = [], requestBody, security } = operation;
  const url = {
    ...request.url,
    query: withExamples(parameters, request.url.query),
    variable: withExamples(parameters, request.url.variable),
  };
  return bodiesOf(requestBody, request.body).map(({ summary, body, form }) => {
    const header = withExamples(parameters, request.header).filter(
      ({ key }) => key !== 'Accept' && !(form && key === 'Content-Type'),
    );
    const title = summary ? `${name}: ${summary}` : name;
    const auth = security.length === 0 ? { auth: { type: 'noauth' } } : {};
    const { method, description } = request;
    return {
      id: uuid(`${operation.operationId} ${title}`),
      name: title,
      request: { method, description, url, header, body, ...auth },
    };
  });
}

const { result, reason, output } = await promisify(convertV2)(
  { type: 'json', data: document },
  { folderStrategy: 'Tags', parametersResolution: 'Schema', enableOptionalParameters: false },
);
if (!result) throw new Error(reason);
const collection = {
  info: {
    _postman_id: uuid(document.info.title),
    name: document.info.title,
    description: document.info.description,
    schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
  },
  auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{apiKey}}', type: 'string' }] },
  variable: [
    { key: 'baseUrl', value: 'http://127.0.0.1:3000' },
    { key: 'apiKey', value: '' },
  ],
  item: output[0].data.item.map(({ name, item }) => ({ name, item: item.flatMap(requestsOf) })),
};

const text = `${JSON.stringify(collection, null, 2)}\n`;
if (!process.argv.includes('--check')) writeFileSync(TARGET, text);
if (readFileSync(TARGET, { encoding: 'utf8', flag: 'a+' }) !== text) {
  process.stderr.write('docs/postman.json has drifted from docs/openapi.json: run npm run docs\n');
  process.exitCode = 1;
}
