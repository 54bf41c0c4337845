import { RawServer, type Script } from './raw.server';
import { AnsweringServer } from './answering.server';

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Registers what is to be done after the test, the last first. */
export function afterwards(close: () => Promise<void> | void): void {
  closers.push(close);
}

/** A server that takes mails, for this test. */
export async function answeringServer(
  options?: ConstructorParameters<typeof AnsweringServer>[0],
): Promise<AnsweringServer> {
  const made = await new AnsweringServer(options).listen();
  afterwards(() => made.close());
  return made;
}

/** A server that withholds its answer to its one mail until `answer` is called, for this test. */
export async function hesitantServer(): Promise<{ port: number; handedOver(): boolean; answer(): void }> {
  let done: (() => void) | undefined;
  const server = await answeringServer({
    onData: (stream, _session, answer) => {
      stream.resume();
      stream.on('end', () => (done = () => answer()));
    },
  });
  return { port: server.port, handedOver: () => done !== undefined, answer: () => done!() };
}

/** A server that follows the script, for this test. */
export async function rawServer(script: Script | ((connection: number) => Script)): Promise<RawServer> {
  const made = await new RawServer(typeof script === 'function' ? script : () => script).listen();
  afterwards(() => made.close());
  return made;
}

/** A server that withholds its answer to mails for some recipients until it is told to give it, for this test. */
export async function holdingServer(held: (recipient: string) => boolean) {
  const waiting: { to: string; answer: () => void }[] = [];
  let open = false;
  const server = await answeringServer({
    onData: (stream, session, done) => {
      const to = session.envelope.rcptTo[0]!.address;
      stream.resume();
      stream.on('end', () => (open || !held(to) ? done() : waiting.push({ to, answer: () => done() })));
    },
  });
  const release = () => {
    open = true;
    waiting.splice(0).forEach(({ answer }) => answer());
  };
  return { port: server.port, waiting, release };
}
