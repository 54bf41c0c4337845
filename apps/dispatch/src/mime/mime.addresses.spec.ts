import { addressField } from './mime.addresses';

const ADDRESS = { email: 'orders@shop.example' };

describe('the name of an address', () => {
  it('is not folded if it fits on a line, as some readers keep that fold', () => {
    const name = 'Department of Weights and Measures';
    const field = addressField('Cc', [ADDRESS, { ...ADDRESS, name: 'Another One' }, { ...ADDRESS, name }]);
    expect(field.split('\r\n').join('|')).toBe(
      `Cc: orders@shop.example, Another One <orders@shop.example>,| ${name} <orders@shop.example>|`,
    );
  });

  it('is folded between its words if it is long', () => {
    const field = addressField('From', [{ ...ADDRESS, name: 'word '.repeat(40).trim() }]);
    for (const line of field.split('\r\n')) expect(line.length).toBeLessThanOrEqual(76);
  });

  it('is a quoted string even if that makes a long line: filters count it as a sign of spam to encode ASCII', () => {
    const name = 'The International Society for the Preservation of Lighthouses (ISPL), Members';
    expect(addressField('From', [{ ...ADDRESS, name }])).toBe(`From: "${name}"\r\n <orders@shop.example>\r\n`);
  });

  it('is encoded if a quoted string would be longer than 200', () => {
    const name = 'Smith, '.repeat(30);
    const field = addressField('From', [{ ...ADDRESS, name }]);
    expect(field).toContain('=?UTF-8?Q?');
    for (const line of field.split('\r\n')) expect(line.length).toBeLessThanOrEqual(76);
  });
});
