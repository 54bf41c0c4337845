import { launchWelcome } from './welcome.campaign';

describe('the sample campaign', () => {
  /** The methods called if look-ups are answered with these statuses. */
  const asked = async (...answers: number[]) => {
    const methods: string[] = [];
    await launchWelcome(({ method }) => {
      methods.push(method);
      return Promise.resolve({ status: method === 'GET' ? answers.shift()! : 201, body: '' });
    }, 'key');
    return methods;
  };

  it('is launched if there is none of its name', async () => {
    expect(await asked(404)).toEqual(['GET', 'PUT']);
  });

  it('never replaces an existing one, also if the first look-up fails', async () => {
    expect(await asked(200)).toEqual(['GET']);
    expect(await asked(503, 200)).toEqual(['GET', 'GET']);
  });
});
