import { readConfig } from './config.reading';

describe('the address of the gateway for those who call it', () => {
  it('removes the slash at the end of GATEWAY_URL for a first run', () => {
    const variables = { BOOTSTRAP_API_KEY: 'k'.repeat(20), GATEWAY_URL: 'http://127.0.0.1:3000/' };
    expect(readConfig(variables, 'welcome').caller.gatewayUrl).toBe('http://127.0.0.1:3000');
  });

  it.each([
    [{}, 'http://127.0.0.1:3000'],
    [{ HOST: '0.0.0.0', PORT: '8080' }, 'http://127.0.0.1:8080'],
    [{ HOST: '::' }, 'http://127.0.0.1:3000'],
    [{ HOST: '::1' }, 'http://[::1]:3000'],
    [{ HOST: '192.0.2.7' }, 'http://192.0.2.7:3000'],
    [{ HOST: 'mail.internal' }, 'http://mail.internal:3000'],
    [{ HOST: '192.0.2.7', GATEWAY_URL: 'http://gateway.test' }, 'http://gateway.test'],
  ])('the command line calls the gateway of %p at %s', (variables, url) => {
    expect(readConfig(variables, 'cli').caller.gatewayUrl).toBe(url);
  });

  it('complains about PORT alone where the address of the gateway follows from it', () => {
    expect(() => readConfig({ PORT: 'x' }, 'cli')).toThrow(/PORT must be/);
    expect(() => readConfig({ PORT: 'x' }, 'cli')).not.toThrow(/GATEWAY_URL/);
  });
});
