/** A GIF of one pixel. */
const LOGO = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

const HTML = `<mjml>
  <mj-body>
    <mj-section>
      <mj-column>
        <mj-image src="cid:logo" alt="The Shop" width="120px" />
        <mj-text>Thank you, {{ first_name }}. Your order {{ order.number }} is on its way.</mj-text>
      </mj-column>
    </mj-section>
  </mj-body>
</mjml>`;

/** Example bodies of PUT /v2/campaigns/{slug}. */
export const LAUNCH_EXAMPLES = {
  minimal: {
    summary: 'A sender, a subject, a text',
    value: {
      from: 'hello@shop.example',
      subject: 'Welcome, {{ first_name }}',
      text: 'Hello {{ first_name }}, good to have you here.',
    },
  },
  full: {
    summary: 'Most settings, MJML and an inline image',
    value: {
      name: 'Order confirmation',
      from: { email: 'orders@shop.example', name: 'The Shop' },
      priority: 'high',
      on_uncertain: 'retry',
      valid_for: 86_400,
      reply_to: { email: 'help@shop.example', name: 'Help' },
      cc: [],
      bcc: ['archive@shop.example'],
      subject: 'Your order {{ order.number }}',
      text: 'Thank you, {{ first_name }}. Your order {{ order.number }} is on its way.',
      html: HTML,
      headers: { 'X-Campaign': 'order' },
      attachments: [{ attachment_type: 'file', file_name: 'logo.gif', cid: 'logo', data: LOGO }],
    },
  },
};
