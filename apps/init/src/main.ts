import { runTask } from '@lettermill/runtime';
import { prepare } from './prepare';

runTask('init', (config, logger) => prepare(config, logger, process.env.SECRETS_DIR));
