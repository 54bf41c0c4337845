import fc from 'fast-check';
import { downloadAs } from './content.disposition';

describe('the name of a download', () => {
  it.each([
    ['invoice.pdf', `attachment; filename="invoice.pdf"; filename*=UTF-8''invoice.pdf`],
    ['Größe (1).txt', `attachment; filename="Gr__e (1).txt"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%281%29.txt`],
    ['請求書.pdf', `attachment; filename="___.pdf"; filename*=UTF-8''%E8%AB%8B%E6%B1%82%E6%9B%B8.pdf`],
    ['فاتورة.pdf', `attachment; filename="______.pdf"; filename*=UTF-8''%D9%81%D8%A7%D8%AA%D9%88%D8%B1%D8%A9.pdf`],
    ['../../etc/passwd', `attachment; filename=".._.._etc_passwd"; filename*=UTF-8''.._.._etc_passwd`],
    ['a"\r\nSet-Cookie: x', `attachment; filename="a___Set-Cookie: x"; filename*=UTF-8''a%22__Set-Cookie%3A%20x`],
    ['invoice\u202efdp.exe', `attachment; filename="invoice_fdp.exe"; filename*=UTF-8''invoice_fdp.exe`],
    ['', `attachment; filename="attachment"; filename*=UTF-8''attachment`],
  ])('is encoded: %j', (name, header) => {
    expect(downloadAs(name)).toBe(header);
  });

  it('makes a valid header, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        const header = downloadAs(name);
        expect(header).toMatch(/^attachment; filename="[\x20-\x21\x23-\x7e]+"; filename\*=UTF-8''[A-Za-z0-9._~!%-]+$/);
        expect(() => decodeURIComponent(header.split("''")[1]!)).not.toThrow();
      }),
    );
    expect(downloadAs('\ud800')).toContain("UTF-8''%EF%BF%BD");
  });
});
