import type { MetadataProtocol } from 'kafkajs/src/protocol/requests/metadata/index.js';

/** Before this version there is no way to ask for the brokers alone. */
const MIN_BROKERS_ALONE_VERSION = 1;
const mended = new WeakSet<MetadataProtocol>();

/**
 * kafkajs 2.2.4 asks for all topics on the brokers where it only needs to know the brokers: before it creates a topic,
 * reads settings or changes them, and to describe the cluster. All that fails (LEADER_NOT_AVAILABLE) as long as any
 * partition of anybody's topic has no leader: one of a single copy has none while its broker is away. Here a request
 * that names no topic asks for none. So `listTopics` of kafkajs finds none, which nothing in the product uses.
 */
export function mendMetadata(metadata: MetadataProtocol): void {
  if (mended.has(metadata)) return;
  mended.add(metadata);
  const { protocol } = metadata;
  metadata.protocol = (given) => {
    const make = protocol(given);
    if (given.version < MIN_BROKERS_ALONE_VERSION) return make;
    return (asked) => {
      const made = make(asked);
      if (asked.topics.length > 0) return made;
      const encode = async () => {
        const encoder = await made.request.encode();
        // The number of topics comes first: kafkajs writes -1, which stands for all.
        encoder.buf.writeInt32BE(0);
        return encoder;
      };
      return { ...made, request: { ...made.request, encode } };
    };
  };
}
