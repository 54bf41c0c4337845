/** Before each suite of the project `cluster`. Five processes take longer to start and to find each other. */
process.env.LETTERMILL_PROFILE = 'cluster';
jest.setTimeout(120_000);
