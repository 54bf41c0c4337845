// Prints the newest mails of the mailbox, one per line.
const { data } = await (await fetch('http://localhost:3005/mailbox/api/messages?limit=5')).json();
for (const { from, to, subject, size } of data) console.log(`${from} -> ${to}: ${subject} (${size} bytes)`);
