import { runTask } from '@lettermill/runtime';
import { forgetOldLog } from './forget.positions';
import { prepare } from './prepare';

const [task] = process.argv.slice(2);

const FORGET_POSITIONS = 'forget-positions';

/** Without an argument it makes what is missing; for this one see docs/backup.md, «A store ahead of its log». */
runTask('init', (config, logger) => (task === FORGET_POSITIONS ? forgetOldLog : prepare)(config, logger), [
  FORGET_POSITIONS,
]);
