import { pause } from '@lettermill/concurrency';
import { runTask } from '@lettermill/runtime';
import { firstSteps } from './first-run/first.steps';
import { launchWelcome, type Call } from './first-run/welcome.campaign';

const PATIENCE_MS = 300_000;
const AGAIN_MS = 2_000;

const over =
  (gateway: string): Call =>
  async ({ url, ...request }) => {
    const answer = await fetch(`${gateway}${url}`, request);
    return { status: answer.status, body: await answer.text() };
  };

/** Waits until the gateway is ready. */
async function untilReady(url: string): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const answer = await fetch(`${url}/health/ready`).catch(() => undefined);
    if (answer?.ok) return;
    if (Date.now() > end) throw new Error(`the gateway at ${url} is not ready after ${PATIENCE_MS / 1000} s`);
    await pause(AGAIN_MS);
  }
}

/** The first run of a trial installation: launches the sample campaign through the gateway, and prints the first steps. */
runTask('welcome', async ({ bootstrapApiKey, publicUrl, caller: { gatewayUrl, mailboxUrl } }, logger) => {
  const key = bootstrapApiKey!;
  await untilReady(gatewayUrl);
  await launchWelcome(over(gatewayUrl), key);
  logger.info({ campaign: 'welcome' }, 'the sample campaign is launched');
  if (publicUrl) process.stdout.write(firstSteps({ url: publicUrl, key, mailbox: mailboxUrl ?? undefined }));
});
