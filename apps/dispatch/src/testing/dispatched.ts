import { afterwards } from './test.servers';
import { DispatchFile, messageId, type DispatchService } from './dispatch.service';

/** The database of a service that can die and start again, for this test. */
export function dispatchFile(): DispatchFile {
  const made = new DispatchFile();
  afterwards(() => made.remove());
  return made;
}

/** The types of the events about a message, in order. */
export const typesOf = (one: DispatchFile, n: number): string[] =>
  one
    .publishedEvents()
    .filter(({ data }) => 'message_id' in data && data.message_id === messageId(n))
    // Whether this is published depends on how long an attempt takes; it has a test of its own.
    .filter(({ type }) => type !== 'MessageSending')
    .map(({ type }) => type);

export const isSettled = (service: DispatchService) => async () => (await service.store.unannounced(1)).length === 0;
