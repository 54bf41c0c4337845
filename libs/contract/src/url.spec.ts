import { urlIn } from './url';

it('knows a URL with a host in U-labels however often it is asked, and what is none', () => {
  for (let i = 0; i < 20_000; i += 1) expect(urlIn('https://bücher.example') === undefined).toBe(false);
  expect(urlIn('/a', 'https://x.example/b')?.href).toBe('https://x.example/a');
  expect(urlIn('https://')).toBeUndefined();
});
