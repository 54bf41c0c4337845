import { OWNERS, SERVICES } from '@lettermill/config';
import { allowedFlows, selectedBy } from './flows';
import { describeOverlays, podsOf } from './testing';

describeOverlays('the network policies', ({ name, all, of, named }) => {
  it('allow only the connections that are needed', () => {
    const policies = of('NetworkPolicy');
    expect(named('NetworkPolicy', 'deny-all')?.spec).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
    const gatewayToOwners = OWNERS.map((owner) => `gateway -> ${owner}:http`);
    const localOnly = [
      ...[...SERVICES, 'init'].flatMap((who) => [`${who} -> kafka:kafka`, `${who} -> mongo:mongo`]),
      'kafka -> kafka:kafka',
      'dispatch -> mailbox:smtp',
      'welcome -> gateway:http',
      // Bounces of test addresses.
      'mailbox -> gateway:http',
    ];
    expect(allowedFlows(podsOf(all()), policies).sort()).toEqual(
      [...gatewayToOwners, ...(name === 'local' ? localOnly : [])].sort(),
    );
  });

  it('let every service reach log and stores, wherever these are, and nothing else but init', () => {
    const policy = named('NetworkPolicy', 'log-and-stores')!;
    expect(selectedBy(policy, podsOf(all())).sort()).toEqual([...SERVICES, 'init'].sort());
  });

  it('allow egress to other addresses only for attachments, DNS and, in production, log, stores and next hop', () => {
    const egressToAddresses = of('NetworkPolicy').flatMap(({ metadata, spec }) =>
      (spec.egress ?? [])
        .map(({ to, ports }) => ({ cidrs: to?.flatMap(({ ipBlock }) => ipBlock?.cidr ?? []), ports }))
        .filter(({ cidrs }) => cidrs === undefined || cidrs.length > 0)
        .map(({ cidrs = 'anywhere', ports }) => ({ by: metadata.name, cidrs, ports })),
    );
    const production = ['log-and-stores', 'next-hop'];
    expect(egressToAddresses.filter(({ cidrs }) => cidrs === 'anywhere').map(({ by }) => by)).toEqual(
      name === 'local' ? [] : production,
    );
    expect(egressToAddresses.filter(({ cidrs }) => cidrs !== 'anywhere')).toEqual(
      expect.arrayContaining([
        { by: 'gateway', cidrs: ['0.0.0.0/0', '2000::/3'], ports: [{ protocol: 'TCP', port: 443 }] },
        {
          by: 'names',
          cidrs: ['169.254.20.10/32'],
          ports: ['UDP', 'TCP'].map((protocol) => ({ protocol, port: 53 })),
        },
      ]),
    );
    expect(egressToAddresses).toHaveLength(name === 'local' ? 2 : 4);
  });
});
