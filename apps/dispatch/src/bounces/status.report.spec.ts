import { readStatusReport } from './status.report';

const readRecipient = (...fields: string[]) =>
  readStatusReport(['Final-Recipient: rfc822; ada@example.org', ...fields].join('\r\n'))[0];

describe('the result for a recipient', () => {
  it.each([
    ['failed', 'failed'],
    ['Failed (no such user)', 'failed'],
    ['delayed', 'delayed'],
    ['deferred', 'delayed'],
    ['transient-failure', 'delayed'],
    ['delivered', 'delivered'],
    ['relayed', 'delivered'],
    ['expanded', 'delivered'],
  ])('is given by the action: %s', (said, action) => {
    expect(readRecipient(`Action: ${said}`, 'Status: 5.1.1')).toMatchObject({ action, address: 'ada@example.org' });
  });

  it.each([
    ['2.0.0', 'delivered'],
    ['4.4.1', 'delayed'],
    ['5.1.1', 'failed'],
  ])('is given by the status %s if there is no action', (status, action) => {
    expect(readRecipient(`Status: ${status}`)).toMatchObject({ action, status });
  });

  it('is missing if no field states it', () => {
    expect(readRecipient('Remote-MTA: dns; mx.example.org')).toBeUndefined();
    expect(readRecipient('Diagnostic-Code: smtp; 550 no')).toMatchObject({
      action: 'failed',
      status: null,
      diagnostic: '550 no',
    });
  });

  it('is explained by the diagnostic code, or else by the comment on the status', () => {
    const status = 'Status: 5.1.1 (bad destination mailbox)';
    expect(readRecipient('Action: failed', status)).toMatchObject({ diagnostic: 'bad destination mailbox' });
    expect(readRecipient('Action: failed', status, 'Diagnostic-Code: smtp; 550 no')).toMatchObject({
      diagnostic: '550 no',
    });
  });
});
