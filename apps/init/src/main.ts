import { runTask } from '@lettermill/runtime';
import { forgetOldLog } from './forget.positions';
import { prepare } from './prepare';

const [task, ...more] = process.argv.slice(2);

runTask('init', (config, logger) => {
  if (task === undefined) return prepare(config, logger, process.env.SECRETS_DIR);
  if (task === 'forget-positions' && more.length === 0) return forgetOldLog(config, logger);
  return Promise.reject(
    new Error('init takes nothing, or forget-positions (docs/backup.md, «A store ahead of its log»)'),
  );
});
