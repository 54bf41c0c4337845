import { urlIn } from './url';

it('urlIn parses a URL with a host in U-labels however often it is called, and refuses an invalid one', () => {
  for (let i = 0; i < 20_000; i += 1) expect(urlIn('https://bücher.example') === undefined).toBe(false);
  expect(urlIn('/a', 'https://x.example/b')?.href).toBe('https://x.example/a');
  expect(urlIn('https://')).toBeUndefined();
});
