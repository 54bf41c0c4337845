import { connect } from 'node:net';

/** How many mails the sink has taken. */
export function count(port) {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write('COUNT\r\n'))
      .on('data', (chunk) => (answer += chunk))
      .on('end', () => resolve(Number(/(\d+)\r\n$/.exec(answer)[1])))
      .on('error', reject);
  });
}

export async function reaches(port, wanted) {
  while ((await count(port)) < wanted) await new Promise((resolve) => setTimeout(resolve, 10));
}
