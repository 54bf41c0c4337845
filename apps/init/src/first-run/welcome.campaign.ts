import { pause } from '@lettermill/concurrency';

/** The campaign that the first `curl` call uses. */
const WELCOME_SLUG = 'welcome';

const WELCOME_CAMPAIGN = {
  name: 'Welcome (a sample)',
  from: { email: 'hello@lettermill.example', name: 'Lettermill' },
  subject: 'Welcome, {{ first_name | default: "friend" }}',
  // No MJML: compiling it takes a second, which the first start would wait for.
  html: `<!doctype html>
<html lang="en">
<body style="margin: 0; padding: 32px 12px; background-color: #f2efe9; font-family: Helvetica, Arial, sans-serif;">
  <div style="display: none;">Your first message has arrived.</div>
  <table role="presentation" align="center" width="600" cellpadding="0" cellspacing="0" style="max-width: 100%;">
    <tr>
      <td style="padding: 24px 49px; background-color: #ffffff; border-radius: 8px;">
        <h1 style="font-size: 26px; font-weight: normal; color: #1f2a37;">Hello {{ first_name | default: "friend" }},</h1>
        <p style="font-size: 16px; line-height: 1.6; color: #374151;">
          this mail went the whole way: accepted and written to the log, your contact found and updated, rendered,
          and handed over by SMTP. While mails go to the built-in mailbox, nothing leaves this machine.
        </p>
        <p style="padding: 10px; text-align: center;">
          <a href="https://lettermill.example/docs" style="padding: 10px 25px; background-color: #9a3412; border-radius: 6px;
            font-size: 13px; color: #ffffff; text-decoration: none;">Read on</a>
        </p>
        <p style="font-size: 12px; color: #6b7280;">Campaign {{ campaign.slug }}, version {{ campaign.version }}.</p>
      </td>
    </tr>
  </table>
</body>
</html>`,
};

/** How long to wait for a slow machine, or a service that is still starting. */
const LAUNCH_TIMEOUT_MS = 120_000;
const RETRY_DELAY_MS = 1_000;

/** How the gateway is called: over HTTP, or from within its own process. */
export type GatewayCall = (request: {
  method: 'GET' | 'PUT';
  url: string;
  headers: Record<string, string>;
  body?: string;
}) => Promise<{ status: number; body: string }>;

/** Launches the sample campaign, unless the account has one of that name already. */
export async function launchWelcome(call: GatewayCall, key: string): Promise<void> {
  const url = `/v2/campaigns/${WELCOME_SLUG}`;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const deadline = Date.now() + LAUNCH_TIMEOUT_MS;
  for (;;) {
    const found = await call({ method: 'GET', url, headers });
    // 500: there is one, whose content is lost or damaged. The start goes on, so that it can be launched again, and other mail is sent.
    if (found.status === 200 || found.status === 500) return;
    // Only if it certainly does not exist: what a user has made of it stays.
    const { status, body } =
      found.status === 404
        ? await call({ method: 'PUT', url, headers, body: JSON.stringify(WELCOME_CAMPAIGN) })
        : found;
    if (status === 200 || status === 201) return;
    if (status !== 503 || Date.now() > deadline) throw new Error(`the sample campaign was refused: ${body}`);
    await pause(RETRY_DELAY_MS);
  }
}
