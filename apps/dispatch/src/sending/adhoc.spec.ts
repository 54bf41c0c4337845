import { raw } from '../testing/closing';
import { queued, until } from '../testing/dispatch.service';
import { file, typesOf } from '../testing/dispatched';

it('takes over what a dead one left ahead', async () => {
  const on = file();
  const server = await raw((connection) => (connection === 1 ? { dot: 'hang' } : {}));
  const first = await on.start(server.port, { instance: 'one', now: () => Date.now() + 3_600_000 });
  await first.take(queued(1, 'ada'));
  await until('handed over', () => server.contents.length > 0);
  await first.die();
  const began = Date.now();
  await on.start(server.port, { instance: 'two' });
  const end = Date.now() + 100_000;
  while (!typesOf(on, 1).includes('MessageUncertain') && Date.now() < end) await new Promise((r) => setTimeout(r, 500));
  console.log('taken after', Date.now() - began, typesOf(on, 1));
}, 120_000);
