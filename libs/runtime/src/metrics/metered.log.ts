import type {
  EventLog,
  FollowOptions,
  GroupPosition,
  LogRecord,
  NewRecord,
  SubscribeOptions,
  Subscription,
} from '@lettermill/log';
import { appendFaults, appendSeconds } from './metrics';

/** Measures the appends of one service to the log. */
export class MeteredLog implements EventLog {
  private readonly seconds;

  constructor(
    private readonly log: EventLog,
    private readonly service: string,
  ) {
    this.seconds = appendSeconds.labels(service);
  }

  append(records: NewRecord[]): Promise<void> {
    return this.measured(performance.now(), this.log.append(records));
  }

  subscribe(options: SubscribeOptions): Promise<Subscription> {
    return this.log.subscribe(options);
  }

  follow(options: FollowOptions): Promise<Subscription> {
    return this.log.follow(options);
  }

  read(topic: string, partition: number, from: number, limit: number): Promise<LogRecord[]> {
    return this.log.read(topic, partition, from, limit);
  }

  partitions(topic: string): Promise<number> {
    return this.log.partitions(topic);
  }

  positions(group: string, topics: string[]): Promise<GroupPosition[]> {
    return this.log.positions(group, topics);
  }

  check(topics?: string[]): Promise<void> {
    return this.log.check(topics);
  }

  close(): Promise<void> {
    return this.log.close();
  }

  private async measured(started: number, appended: Promise<void>): Promise<void> {
    try {
      await appended;
    } catch (error) {
      const { code } = error as { code?: string };
      appendFaults.inc({ service: this.service, code: code ?? 'unknown' });
      throw error;
    }
    this.seconds.observe((performance.now() - started) / 1000);
  }
}
