// A bare SMTP sink: it counts mails and keeps none. Its own command `COUNT` returns their number. Mails to slow.example are
// answered after SLOW_MS and not counted. Mails to `…+<milliseconds since the epoch>@…` are timed; `TIMES` returns all times
// as JSON.
import { createServer } from 'node:net';

const SLOW_MS = Number(process.env.SLOW_MS ?? 0);
let mails = 0;
const times = [];
createServer((socket) => {
  let data = false;
  let slow = false;
  let began = 0;
  let rest = '';
  socket.setNoDelay(true);
  socket.on('error', () => undefined);
  socket.write('220 sink ESMTP\r\n');
  socket.on('data', (chunk) => {
    rest += chunk.toString('latin1');
    let answer = '';
    for (;;) {
      if (data) {
        const end = rest.indexOf('\r\n.\r\n');
        if (end < 0) {
          rest = rest.slice(Math.max(0, rest.length - 4));
          break;
        }
        rest = rest.slice(end + 5);
        data = false;
        if (slow) {
          slow = false;
          setTimeout(() => socket.write('250 2.0.0 ok\r\n'), SLOW_MS);
          continue;
        }
        mails += 1;
        if (began > 0) times.push(Date.now() - began);
        answer += '250 2.0.0 ok\r\n';
        continue;
      }
      const end = rest.indexOf('\r\n');
      if (end < 0) break;
      const line = rest.slice(0, end).toUpperCase();
      rest = rest.slice(end + 2);
      if (line.startsWith('RCPT')) {
        slow = line.includes('@SLOW.EXAMPLE');
        began = Number(/\+(\d{13})@/.exec(line)?.[1] ?? 0);
      }
      if (line.startsWith('EHLO'))
        answer += '250-sink\r\n250-PIPELINING\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250 SIZE 52428800\r\n';
      else if (line === 'DATA') {
        data = true;
        answer += '354 go on\r\n';
      } else if (line === 'QUIT') {
        socket.end('221 bye\r\n');
        return;
      } else if (line === 'COUNT') {
        socket.end(`${mails}\r\n`);
        return;
      } else if (line === 'TIMES') {
        socket.end(`${JSON.stringify(times)}\r\n`);
        return;
      } else answer += '250 2.0.0 ok\r\n';
    }
    if (answer) socket.write(answer);
  });
}).listen(Number(process.env.PORT), '127.0.0.1', () => process.stdout.write('ready\n'));
