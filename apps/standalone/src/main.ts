import { runProcess } from '@lettermill/runtime';
import { Standalone } from './standalone';

runProcess('standalone', (config, logger, die) => {
  const standalone = new Standalone(config, logger, die);
  return {
    start: async () => void process.stdout.write(await standalone.start()),
    stop: () => standalone.stop(),
  };
});
