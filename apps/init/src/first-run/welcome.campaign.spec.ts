import { readConfig } from '@lettermill/config';
import { launchWelcome } from './welcome.campaign';

describe('the sample campaign', () => {
  /** The methods called if look-ups are answered with these statuses. */
  const methodsCalled = async (...answers: number[]) => {
    const methods: string[] = [];
    await launchWelcome(({ method }) => {
      methods.push(method);
      return Promise.resolve({ status: method === 'GET' ? answers.shift()! : 201, body: '' });
    }, 'key');
    return methods;
  };

  it('is launched if there is none of its name', async () => {
    expect(await methodsCalled(404)).toEqual(['GET', 'PUT']);
  });

  it('fits into the smallest MAX_BODY_BYTES', async () => {
    const { maxBodyBytes } = readConfig({ MAX_BODY_BYTES: '2048' }, 'standalone');
    const bodies: string[] = [];
    await launchWelcome(({ method, body = '' }) => {
      bodies.push(body);
      return Promise.resolve({ status: method === 'GET' ? 404 : 201, body: '' });
    }, 'key');
    expect(bodies.map((body) => Buffer.byteLength(body) <= maxBodyBytes)).toEqual([true, true]);
    expect(() => readConfig({ MAX_BODY_BYTES: String(maxBodyBytes - 1) }, 'standalone')).toThrow('MAX_BODY_BYTES');
  });

  it('never replaces an existing one, also if the first look-up fails', async () => {
    expect(await methodsCalled(200)).toEqual(['GET']);
    expect(await methodsCalled(503, 200)).toEqual(['GET', 'GET']);
  });

  it('does not keep the process from starting if the content of an existing one is damaged', async () => {
    expect(await methodsCalled(500)).toEqual(['GET']);
  });
});
