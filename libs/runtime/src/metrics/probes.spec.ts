import { LogUnavailable, type EventLog, type GroupPosition } from '@lettermill/log';
import { metricsText } from './metrics';
import { addProbe } from './probes';

const answers = () => Promise.resolve();
const fails = () => Promise.reject(new LogUnavailable('the coordinator of the group does not answer'));
const at: GroupPosition = { topic: 'message-queued', partition: 2, committed: 7, end: 10, lag: 3 };

describe('what a scrape checks', () => {
  const remove: (() => void)[] = [];
  afterEach(() => remove.splice(0).forEach((one) => one()));

  const serve = (service: string, positions: EventLog['positions'], log = answers) => {
    const probe = { service, log: { positions } as EventLog, topics: [at.topic], needs: { log, store: answers } };
    remove.push(addProbe(probe));
  };

  /** The samples of a metric, sorted. */
  const samplesOf = async (name: string) => {
    const lines = (await metricsText()).split('\n').filter((line) => line.startsWith(`${name}{`));
    return lines.map((line) => line.slice(name.length)).sort();
  };

  it('are the positions of each service, and whether what it needs answers', async () => {
    serve('dispatch', () => Promise.resolve([at]));
    serve('tracker', () => Promise.resolve([]), fails);
    expect(await samplesOf('lettermill_consumer_lag')).toEqual([
      '{service="dispatch",topic="message-queued",partition="2"} 3',
    ]);
    expect(await samplesOf('lettermill_consumer_position')).toEqual([
      '{service="dispatch",topic="message-queued",partition="2"} 7',
    ]);
    expect(await samplesOf('lettermill_dependency_up')).toEqual([
      '{service="dispatch",dependency="log"} 1',
      '{service="dispatch",dependency="store"} 1',
      '{service="tracker",dependency="log"} 0',
      '{service="tracker",dependency="store"} 1',
    ]);
  });

  // Otherwise no alert would fire: those on lag see none, and a broker that knows nothing of the group still answers.
  it('says that the log is away from a service whose positions cannot be read', async () => {
    serve('dispatch', fails);
    serve('tracker', () => Promise.resolve([at]));
    serve('renderer', () => new Promise(() => {}));
    expect(await samplesOf('lettermill_consumer_lag')).toEqual([
      '{service="tracker",topic="message-queued",partition="2"} 3',
    ]);
    expect((await samplesOf('lettermill_dependency_up')).filter((line) => line.includes('"log"'))).toEqual([
      '{service="dispatch",dependency="log"} 0',
      '{service="renderer",dependency="log"} 0',
      '{service="tracker",dependency="log"} 1',
    ]);
  });
});
