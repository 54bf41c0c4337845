import type { InnerBroker } from 'kafkajs/src/broker/index.js';

const TIMEOUT = 'KafkaJSRequestTimeoutError';
const CONNECTION_ERROR = 'KafkaJSConnectionError';
const mended = new WeakSet<InnerBroker>();

/**
 * kafkajs 2.2.4 asks another broker of its list only after an error of this name. While the one that it began with takes
 * connections and says nothing, it asks that one six times, and fails. Here a broker that leaves the first
 * request on a connection without an answer counts as one that could not be connected to.
 */
export function mendBroker(broker: InnerBroker): void {
  if (mended.has(broker)) return;
  mended.add(broker);
  const { connect } = broker;
  broker.connect = async function (this: InnerBroker) {
    try {
      await connect.call(this);
    } catch (error) {
      throw (error as Error).name === TIMEOUT ? Object.assign(error as Error, { name: CONNECTION_ERROR }) : error;
    }
  };
}
