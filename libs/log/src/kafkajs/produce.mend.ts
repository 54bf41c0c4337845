import type { ProduceArguments, ProduceProtocol } from 'kafkajs/src/protocol/requests/produce/index.js';
import { produceBody, type ProduceAsked } from './produce.body';

/** From this version on the body is of record batches, and its layout stays the same in all that kafkajs knows. */
const FIRST_VERSION = 3;
const NO_PRODUCER = -1;
const mended = new WeakSet<ProduceProtocol>();

/**
 * kafkajs 2.2.4 makes a zeroed buffer of 512 bytes for each record and for each of its headers, and counts in BigInt: 35 µs of CPU a
 * record, a quarter of what accepting one costs. Here one buffer is made of a whole request. All else remains kafkajs'.
 */
export function mendProduce(produce: ProduceProtocol): void {
  if (mended.has(produce)) return;
  mended.add(produce);
  const { protocol } = produce;
  produce.protocol = (given) => {
    const make = protocol(given);
    if (given.version < FIRST_VERSION) return make;
    return (asked) => {
      const made = make(asked);
      if (!isPlain(asked)) return made;
      return { ...made, request: { ...made.request, encode: () => Promise.resolve(encoded(produceBody(asked))) } };
    };
  };
}

/** As `KafkaSender` has it: not compressed, not idempotent, no transaction, one time for all. */
function isPlain(asked: ProduceArguments): asked is ProduceArguments & ProduceAsked {
  const { compression, producerId, transactionalId, topicData } = asked;
  if (compression || transactionalId !== undefined || producerId !== NO_PRODUCER) return false;
  const time = topicData[0]?.partitions[0]?.messages[0]?.timestamp;
  return (
    time !== undefined &&
    topicData.every(({ partitions }) =>
      partitions.every(({ messages }) => messages.every(({ timestamp }) => timestamp === time)),
    )
  );
}

/** What kafkajs reads of one of its encoders. */
function encoded(body: Buffer): { buf: Buffer; buffer: Buffer } {
  return { buf: body, buffer: body };
}
