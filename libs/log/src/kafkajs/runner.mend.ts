import type { InnerRunner } from 'kafkajs/src/consumer/runner.js';

const mended = new WeakSet<InnerRunner>();

/**
 * kafkajs 2.2.4 restarts its fetchers when a broker joins or leaves. If its consumer is stopped at that moment, the old
 * fetchers are stopped and the new ones are not: they keep asking a consumer that answers with nothing at once, for
 * ever, so that no timer or socket of the process gets its turn again. Here a fetcher that asks a stopped consumer is
 * stopped.
 */
export function mendRunner(runner: InnerRunner): void {
  if (mended.has(runner)) return;
  mended.add(runner);
  const { fetch } = runner;

  runner.fetch = function (this: InnerRunner, nodeId) {
    if (this.running) return fetch.call(this, nodeId);
    void this.fetchManager.stop();
    return Promise.resolve([]);
  };
}
