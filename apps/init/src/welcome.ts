import { pause } from '@lettermill/concurrency';
import { runTask } from '@lettermill/runtime';
import { firstSteps } from './first-run/first.steps';
import { launchWelcome, type GatewayCall } from './first-run/welcome.campaign';

const READY_TIMEOUT_MS = 300_000;
const POLL_INTERVAL_MS = 2_000;
/** Without it, a connection that hangs would hold the Job up for minutes. */
const ANSWER_TIMEOUT_MS = 30_000;

const inTime = () => AbortSignal.timeout(ANSWER_TIMEOUT_MS);

const callOverHttp =
  (gateway: string): GatewayCall =>
  async ({ url, ...request }) => {
    const answer = await fetch(`${gateway}${url}`, { ...request, signal: inTime() });
    return { status: answer.status, body: await answer.text() };
  };

/** Waits until the gateway is ready. */
async function waitUntilReady(url: string): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (;;) {
    const answer = await fetch(`${url}/health/ready`, { signal: inTime() }).catch(() => undefined);
    if (answer?.ok) return;
    if (Date.now() > deadline) throw new Error(`the gateway at ${url} is not ready after ${READY_TIMEOUT_MS / 1000} s`);
    await pause(POLL_INTERVAL_MS);
  }
}

/** The first run of a trial installation: launches the sample campaign through the gateway, and prints the first steps. */
runTask('welcome', async ({ bootstrapApiKey, publicUrl, caller: { gatewayUrl, mailboxUrl } }, logger) => {
  const key = bootstrapApiKey!;
  await waitUntilReady(gatewayUrl);
  await launchWelcome(callOverHttp(gatewayUrl), key);
  logger.info({ campaign: 'welcome' }, 'the sample campaign is launched');
  if (publicUrl) process.stdout.write(firstSteps({ url: publicUrl, key, mailbox: mailboxUrl ?? undefined }));
});
