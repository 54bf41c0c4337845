import { pause } from '@lettermill/concurrency';

/** The campaign that the first `curl` call uses. */
const WELCOME_SLUG = 'welcome';

const WELCOME_CAMPAIGN = {
  name: 'Welcome (a sample)',
  from: { email: 'hello@lettermill.example', name: 'Lettermill' },
  subject: 'Welcome, {{ first_name | default: "friend" }}',
  html: `<mjml>
  <mj-head>
    <mj-preview>Your first message has arrived.</mj-preview>
    <mj-attributes><mj-all font-family="Helvetica, Arial, sans-serif" /></mj-attributes>
  </mj-head>
  <mj-body background-color="#f2efe9">
    <mj-section padding="32px 0 0">
      <mj-column background-color="#ffffff" border-radius="8px" padding="24px">
        <mj-text font-size="26px" color="#1f2a37">Hello {{ first_name | default: "friend" }},</mj-text>
        <mj-text font-size="16px" line-height="1.6" color="#374151">
          this mail went the whole way: accepted and written to the log, your contact found and updated, rendered,
          and handed over by SMTP. While mails go to the built-in mailbox, nothing leaves this machine.
        </mj-text>
        <mj-button href="https://lettermill.example/docs" background-color="#9a3412" border-radius="6px">Read on</mj-button>
        <mj-text font-size="12px" color="#6b7280">Campaign {{ campaign.slug }}, version {{ campaign.version }}.</mj-text>
      </mj-column>
    </mj-section>
  </mj-body>
</mjml>`,
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
    if (found.status === 200) return;
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
