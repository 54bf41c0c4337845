import { setTimeout as sleep } from 'node:timers/promises';

/** The campaign that the first `curl` names. */
const SLUG = 'welcome';

const CAMPAIGN = {
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
          and handed over by SMTP. Nothing of it left this machine.
        </mj-text>
        <mj-button href="https://lettermill.example/docs" background-color="#9a3412" border-radius="6px">Read on</mj-button>
        <mj-text font-size="12px" color="#6b7280">Campaign {{ campaign.slug }}, version {{ campaign.version }}.</mj-text>
      </mj-column>
    </mj-section>
  </mj-body>
</mjml>`,
};

/** How long a slow machine, or a service that is still on its way up, is waited for. */
const PATIENCE_MS = 120_000;
const AGAIN_MS = 1_000;

/** Launches the sample unless this account has a campaign of that name already. */
export async function launchWelcome(gatewayUrl: string, key: string): Promise<void> {
  const address = `${gatewayUrl}/v2/campaigns/${SLUG}`;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await fetch(address, { headers });
    if (found.ok) return;
    const launched = await fetch(address, { method: 'PUT', headers, body: JSON.stringify(CAMPAIGN) });
    if (launched.ok) return;
    const refusal = await launched.text();
    if (launched.status !== 503 || Date.now() > end) throw new Error(`the sample campaign was refused: ${refusal}`);
    await sleep(AGAIN_MS);
  }
}
