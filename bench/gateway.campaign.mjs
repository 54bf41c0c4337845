/** The event with which the renderer would announce the campaign of the benches. */
export function campaignLaunched() {
  const now = new Date().toISOString();
  return {
    id: 'bench',
    type: 'CampaignLaunched',
    source: 'renderer',
    time: now,
    key: 'default:bench',
    data: {
      account_id: 'default',
      id: 'B'.repeat(18),
      slug: 'bench',
      version: 1,
      launched_at: now,
      name: null,
      from: { email: 'bench@shop.example' },
      priority: 'normal',
      on_uncertain: 'retry',
      valid_for: null,
      message: { subject: 'bench', text: 'bench' },
      attachments: [],
      fingerprint: 'bench',
    },
  };
}
