import type { InnerRunner } from 'kafkajs/src/consumer/runner.js';

const mended = new WeakSet<InnerRunner>();

/**
 * kafkajs 2.2.4 begins its fetchers anew when a broker joins or leaves. Where its consumer is stopped at that moment, the old ones are
 * stopped and the new ones are not: they ask a consumer that answers nothing at once, for ever, and no timer or socket of the process has
 * its turn again. Here whoever asks a stopped consumer is stopped.
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
