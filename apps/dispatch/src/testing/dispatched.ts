import { afterwards } from './closing';
import { DispatchFile, messageId, type DispatchService } from './dispatch.service';

/** The database of a service that can die and start again, for this test. */
export function file(): DispatchFile {
  const made = new DispatchFile();
  afterwards(() => made.remove());
  return made;
}

/** What was told of a message, in order. */
export const typesOf = (one: DispatchFile, n: number): string[] =>
  one
    .told()
    .filter(({ data }) => 'message_id' in data && data.message_id === messageId(n))
    // Told or not, by how long an attempt took: a test of its own is about it.
    .filter(({ type }) => type !== 'MessageSending')
    .map(({ type }) => type);

export const settled = (service: DispatchService) => async () => (await service.store.unannounced(1)).length === 0;
