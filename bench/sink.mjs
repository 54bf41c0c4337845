// A bare SMTP sink: counts mails, keeps none. `COUNT`, a command of its own, answers how many there were.
import { createServer } from 'node:net';

let mails = 0;
createServer((socket) => {
  let data = false;
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
        mails += 1;
        answer += '250 2.0.0 ok\r\n';
        continue;
      }
      const end = rest.indexOf('\r\n');
      if (end < 0) break;
      const line = rest.slice(0, end).toUpperCase();
      rest = rest.slice(end + 2);
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
      } else answer += '250 2.0.0 ok\r\n';
    }
    if (answer) socket.write(answer);
  });
}).listen(Number(process.env.PORT), '127.0.0.1', () => process.stdout.write('ready\n'));
