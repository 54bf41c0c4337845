import { connect } from 'node:net';

function ask(port, command) {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(`${command}\r\n`))
      .on('data', (chunk) => (answer += chunk))
      .on('end', () => resolve(answer.split('\r\n').at(-2)))
      .on('error', reject);
  });
}

/** How many mails the sink has taken. */
export async function count(port) {
  return Number(await ask(port, 'COUNT'));
}

/** Milliseconds that each of the timed mails took. */
export async function times(port) {
  return JSON.parse(await ask(port, 'TIMES'));
}

export async function reaches(port, wanted) {
  while ((await count(port)) < wanted) await new Promise((resolve) => setTimeout(resolve, 10));
}
