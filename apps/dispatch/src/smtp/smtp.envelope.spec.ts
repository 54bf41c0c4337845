import * as fc from 'fast-check';
import { addressFault } from '@lettermill/contract';
import { nearAddress } from '../../../../libs/contract/src/testing/addresses';
import { wireAddress, wireEnvelope } from './smtp.envelope';

describe('an address on the wire', () => {
  it('has A-labels in its domain and an unchanged local part', () => {
    expect(wireAddress('Ada@Bücher.example')).toBe('Ada@xn--bcher-kva.example');
    expect(wireAddress('"a@b"@Example.COM')).toBe('"a@b"@Example.COM');
  });

  it('is safe in a command and stays valid if the contract accepts it', () => {
    fc.assert(
      fc.property(nearAddress, (text) => {
        if (addressFault(text)) return;
        const wire = wireAddress(text);
        expect(wire).not.toMatch(/[\u0000-\u001f\u007f\u0085\u2028\u2029]|\p{Surrogate}/u);
        expect(Buffer.byteLength(wire)).toBeLessThanOrEqual(254);
        expect(wire.slice(wire.lastIndexOf('@') + 1)).toMatch(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/i);
        expect(addressFault(wire)).toBeUndefined();
        expect(wireAddress(wire)).toBe(wire);
      }),
      { numRuns: 20_000 },
    );
  });
});

describe('the envelope on the wire', () => {
  it('names each mailbox once, the main one first, whichever form its domain has', () => {
    const to = ['b@x.example', 'a@bücher.example', 'a@xn--bcher-kva.example'];
    expect(wireEnvelope({ from: 'shop@x.example', to, main: 'a@bücher.example' })).toEqual({
      from: 'shop@x.example',
      main: 'a@xn--bcher-kva.example',
      needsUtf8: false,
      to: ['a@xn--bcher-kva.example', 'b@x.example'],
    });
  });

  it('needs SMTPUTF8 if a local part is not ASCII', () => {
    expect(wireEnvelope({ from: 'shop@x.example', to: ['é@x.example'], main: null }).needsUtf8).toBe(true);
    expect(wireEnvelope({ from: 'é@x.example', to: ['ada@x.example'], main: null }).needsUtf8).toBe(true);
  });
});
