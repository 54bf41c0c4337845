// `npm run bench -- --try` runs each bench once and small, to show that it works, not how fast it is.
const TRY = '--try';
// The processes that a bench starts read it from this variable.
if (process.argv.includes(TRY)) process.env.BENCH_EXTENT = 'try';

/** Parts of names of the benches to run. */
export const wanted = process.argv.slice(2).filter((word) => word !== TRY);

/** A number of messages or seconds: `usual` to measure, `tried` to show that the bench works. */
export const extent = (usual, tried) => (process.env.BENCH_EXTENT === 'try' ? tried : usual);

export const pairsOf = (usual = 5) => extent(Number(process.env.PAIRS ?? usual), 1);
