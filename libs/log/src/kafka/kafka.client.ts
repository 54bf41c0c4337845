import type * as KafkaJs from 'kafkajs';
import type { Admin, Consumer, ConsumerConfig, Kafka, KafkaConfig, LogEntry, Logger, Producer } from 'kafkajs';
import type Cluster from 'kafkajs/src/cluster/index.js';
import type { InnerCluster } from 'kafkajs/src/cluster/index.js';
import { OncePer } from '@lettermill/concurrency';
import type { LogLines } from '../log.lines';
import { mendBroker } from '../kafkajs/broker.mend';
import { mendConnection } from '../kafkajs/connection.mend';
import { mendMetadata } from '../kafkajs/metadata.mend';
import type { KafkaSettings } from './kafka.options';
import { mendProduce } from '../kafkajs/produce.mend';
import { mendQueue } from '../kafkajs/queue.mend';
import { mendRunner } from '../kafkajs/runner.mend';

export { NO_SUCH_TOPIC } from '../kafkajs/runner.mend';

type Driver = typeof KafkaJs;

export const READ_COMMITTED = 1;
const REPEATED_LINE_INTERVAL_MS = 10_000;
/** Milliseconds within which requests must be answered. Produce requests have longer, as they wait for replicas. */
const REQUEST_TIMEOUT_MS = 8_000;
const PRODUCE_REQUEST_TIMEOUT_MS = 15_000;
/** kafkajs' numbers of its log levels. */
const LEVEL_NOTHING = 0;
const LEVEL_ERROR = 1;
const LEVEL_WARN = 2;

/** Retries of one operation inside kafkajs, about three seconds in all; longer retries are up to us. */
const RETRY_OPTIONS = { initialRetryTime: 100, multiplier: 2, factor: 0.2, maxRetryTime: 2_000, retries: 5 };

/**
 * A group member goes on retrying while the brokers are unavailable: one that gives up and joins as a new member has to
 * wait until its former session is over.
 */
const ENDLESS_RETRY_OPTIONS = { ...RETRY_OPTIONS, maxRetryTime: 1_000, retries: 1_000_000 };

/** The log fields of kafkajs that are passed on: never payloads, keys, or credentials sent to the brokers. */
const LOGGED_FIELDS = ['groupId', 'topic', 'partition', 'offset', 'broker', 'retryCount', 'retryTime', 'correlationId'];

/** The fields by which errors of kafkajs are told apart. */
export interface KafkaFault {
  name?: string;
  message?: string;
  /** Of a network error, Node's name of it; of a protocol error, its number. */
  code?: string | number;
  /** The protocol's name of the error. */
  type?: string;
  cause?: unknown;
  /** Of a call about several things, such as topics, the error of each. */
  errors?: unknown[];
  retriable?: boolean;
}

/** An error and its causes: kafkajs wraps an error when its retries are used up, or puts errors in a list. */
function* causeChainOf(error: unknown): Generator<KafkaFault> {
  for (let fault = error as KafkaFault | undefined; fault;) {
    yield fault;
    fault = (fault.cause ?? fault.errors?.[0]) as KafkaFault | undefined;
  }
}

/** The protocol's name of an error, if a broker answered with one. */
export function faultType(error: unknown): string | undefined {
  return [...causeChainOf(error)].find(({ type }) => typeof type === 'string')?.type;
}

/** The message at the root of an error: no protocol error says that a password was refused or a certificate is not trusted. */
export function faultText(error: unknown): string | undefined {
  return [...causeChainOf(error)].findLast(({ message }) => message)?.message;
}

export function faultRoot(error: unknown): KafkaFault {
  return [...causeChainOf(error)].at(-1) ?? {};
}

/** Creates kafkajs clients. Only this class loads the library, so that only the cluster profile does. */
export class KafkaClients {
  private readonly logEntry: (entry: LogEntry) => void;
  private clients = 0;

  private constructor(
    readonly driver: Driver,
    private readonly settings: KafkaSettings,
    private readonly internals: { Cluster: typeof Cluster; sockets: () => unknown },
  ) {
    this.logEntry = entryLogger(settings.logger);
  }

  static async load(settings: KafkaSettings): Promise<KafkaClients> {
    const [driver, broker, cluster, sockets, connection, queue, metadata, produce, runner] = await Promise.all([
      import('kafkajs'),
      import('kafkajs/src/broker/index.js'),
      import('kafkajs/src/cluster/index.js'),
      import('kafkajs/src/network/socketFactory.js'),
      import('kafkajs/src/network/connection.js'),
      import('kafkajs/src/network/requestQueue/index.js'),
      import('kafkajs/src/protocol/requests/metadata/index.js'),
      import('kafkajs/src/protocol/requests/produce/index.js'),
      import('kafkajs/src/consumer/runner.js'),
    ]);
    mendBroker(broker.default.prototype);
    mendConnection(connection.default.prototype);
    mendQueue(queue.default.prototype);
    mendMetadata(metadata.default);
    mendProduce(produce.default);
    mendRunner(runner.default.prototype);
    return new KafkaClients(driver.default, settings, { Cluster: cluster.default, sockets: sockets.default });
  }

  /** A separate client for each use: kafkajs keeps group state per client. */
  client(use: string): Kafka {
    return new this.driver.Kafka(this.configFor(use));
  }

  /** A consumer for group members. When it fails for a transient reason, the caller has to create another one. */
  consumer(use: string, config: ConsumerConfig): Consumer {
    const retry = { ...ENDLESS_RETRY_OPTIONS, restartOnFailure: () => Promise.resolve(false) };
    return new this.driver.Kafka({ ...this.configFor(use), requestTimeout: REQUEST_TIMEOUT_MS, retry }).consumer({
      ...config,
      retry,
    });
  }

  admin(): Admin {
    return this.client('admin').admin();
  }

  /** An admin that logs nothing: the caller reports everything that it throws. */
  silentAdmin(): Admin {
    return new this.driver.Kafka({ ...this.configFor('maker'), logLevel: LEVEL_NOTHING }).admin();
  }

  /**
   * The error with which a batch handler makes its member join again. kafkajs keeps asking a coordinator that is gone
   * until a broker answers that it no longer is the coordinator; this error stands for that answer.
   */
  coordinatorGone(): Error {
    const fault = { type: 'NOT_COORDINATOR_FOR_GROUP', code: 16, retriable: false };
    const error = Object.assign(new Error('the coordinator of the group does not answer'), fault);
    return new this.driver.KafkaJSProtocolError(error);
  }

  /** A producer without retries of its own; `KafkaSender` says why. */
  producer(): Producer {
    const createPartitioner = this.driver.Partitioners.DefaultPartitioner;
    const retry = { ...RETRY_OPTIONS, retries: 0 };
    return this.client('producer').producer({ createPartitioner, allowAutoTopicCreation: false, retry });
  }

  /** Separate connections, for fetching without a group. */
  cluster(use: string): InnerCluster {
    const config = this.configFor(use);
    const logger: Logger = new this.driver.Kafka(config).logger();
    const { Cluster, sockets } = this.internals;
    const more = {
      requestTimeout: REQUEST_TIMEOUT_MS,
      enforceRequestTimeout: true,
      metadataMaxAge: 60_000,
      allowAutoTopicCreation: false,
    };
    return new Cluster({
      ...config,
      ...more,
      logger,
      socketFactory: sockets(),
      isolationLevel: READ_COMMITTED,
      offsets: new Map(),
    });
  }

  /** The client id that the brokers see for a use. */
  clientIdOf(use: string): string {
    return `${this.settings.clientId}-${this.settings.instance}-${use}`;
  }

  /** A client begins with the first of its brokers. So whoever gives one up that gets no answer has the next begin elsewhere. */
  private brokersInTurn(): string[] {
    const { brokers } = this.settings;
    const first = this.clients % brokers.length;
    this.clients += 1;
    return [...brokers.slice(first), ...brokers.slice(0, first)];
  }

  private configFor(use: string): KafkaConfig {
    const { tls, sasl } = this.settings;
    return {
      brokers: this.brokersInTurn(),
      clientId: this.clientIdOf(use),
      ssl: tls,
      sasl: sasl as KafkaConfig['sasl'],
      connectionTimeout: 3_000,
      authenticationTimeout: 10_000,
      requestTimeout: PRODUCE_REQUEST_TIMEOUT_MS,
      retry: RETRY_OPTIONS,
      logLevel: LEVEL_WARN,
      logCreator: () => this.logEntry,
    };
  }
}

/** Logs what kafkajs calls an error as a warning, as kafkajs mostly retries; a line that repeats is logged once in `REPEATED_LINE_INTERVAL_MS`. */
function entryLogger(lines: LogLines): (entry: LogEntry) => void {
  const once = new OncePer(REPEATED_LINE_INTERVAL_MS, Date.now);
  return ({ level, namespace, log }) => {
    const { message, error } = log as { message: string; error?: unknown };
    const detail = typeof error === 'string' ? error : undefined;
    if (!once.passes(`${namespace} ${message} ${detail}`)) return;
    const fields: Record<string, unknown> = { source: 'kafkajs', part: namespace, ...(detail && { detail }) };
    for (const name of LOGGED_FIELDS) if (log[name] !== undefined) fields[name] = log[name];
    if (level <= LEVEL_ERROR) lines.warn(fields, message);
    else lines.info(fields, message);
  };
}
