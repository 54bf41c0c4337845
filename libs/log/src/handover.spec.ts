import { Handover } from './handover';
import { SILENT_LOGGER } from './log.lines';
import type { LogRecord } from './log.port';

const RECORD: LogRecord = {
  topic: 't',
  key: 'k',
  value: Buffer.from('v'),
  headers: {},
  partition: 0,
  position: 0,
  appendedAt: 0,
};

describe('handing records over', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('ends without another pause if its holder has to stop while the handler refuses them', async () => {
    const holder = { stopping: false, heartbeat: () => Promise.resolve() };
    let tries = 0;
    const onBatch = () => {
      tries += 1;
      holder.stopping = tries === 2;
      return Promise.reject(new Error('refused'));
    };
    const handover = new Handover({ topic: 't', group: 'g', lines: SILENT_LOGGER, onBatch });
    const accepted = handover.deliver([RECORD], holder);
    await jest.runOnlyPendingTimersAsync();
    expect(jest.getTimerCount()).toBe(0);
    expect(await accepted).toBe(false);
    expect(tries).toBe(2);
  });
});
