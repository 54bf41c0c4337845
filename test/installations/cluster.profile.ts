/** Runs before each suite of the project `cluster`. */
process.env.LETTERMILL_PROFILE = 'cluster';
