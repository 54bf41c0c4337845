import { runProcess } from '@lettermill/runtime';
import { Standalone } from './standalone';

runProcess('standalone', (config, logger, die) => {
  const standalone = new Standalone(config, logger, die);
  return {
    start: async () => {
      const greeting = await standalone.start();
      // Log lines written earlier must come first.
      logger.flush(() => process.stdout.write(greeting));
    },
    stop: () => standalone.stop(),
  };
});
