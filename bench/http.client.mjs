import { Agent, request } from 'node:http';

/**
 * Returns a function that calls the API and resolves to the status once the answer is whole. `fetch` takes about eight times the CPU
 * time, and that of the client counts as the subject's.
 */
export function caller(url, key) {
  const agent = new Agent({ keepAlive: true });
  return (method, path, body) =>
    new Promise((resolve, reject) => {
      const content = Buffer.from(JSON.stringify(body));
      const headers = {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'content-length': content.length,
      };
      request(url + path, { method, headers, agent }, (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode));
        answer.on('error', reject);
      })
        .on('error', reject)
        .end(content);
    });
}
