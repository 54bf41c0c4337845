import { rawServer } from '../testing/test.servers';
import { messageId, queued, until } from '../testing/dispatch.service';
import { dispatchFile } from '../testing/dispatched';
import { Sender } from '../sending/sender';
import { Orders } from './orders';

afterEach(() => jest.restoreAllMocks());

it('a retry wakes the sender, which does not look at the queue by itself here', async () => {
  for (const alarm of ['sleepFor', 'runUpkeep'] as const)
    jest.spyOn(Sender.prototype as unknown as Record<typeof alarm, () => void>, alarm).mockImplementation();
  let mail: string | undefined = '450 4.2.0 later';
  const server = await rawServer({ mail: () => mail });
  const on = dispatchFile();
  const service = await on.start(server.port, { retryDelays: [3_600] });
  await service.take(queued(1, 'ada'));
  await until('it is put off', () => on.publishedEvents('MessageDeferred').length === 1);
  mail = undefined;
  await service.app.get(Orders).retry({ accountId: 'default', messageId: messageId(1) }, []);
  await until('it is sent', () => on.publishedEvents('MessageSent').length === 1);
});
