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

  it('never replaces an existing one, also if the first look-up fails', async () => {
    expect(await methodsCalled(200)).toEqual(['GET']);
    expect(await methodsCalled(503, 200)).toEqual(['GET', 'GET']);
  });
});
