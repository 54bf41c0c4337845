// `npm run bench -- --try` goes through each bench once and small: that it works, not how fast it is.
const TRY = '--try';
// The processes that a bench starts read it from there.
if (process.argv.includes(TRY)) process.env.BENCH_EXTENT = 'try';

/** What was asked for by name. */
export const wanted = process.argv.slice(2).filter((word) => word !== TRY);

/** How many messages or seconds: what a figure needs, or the little that shows that the bench works. */
export const extent = (usual, tried) => (process.env.BENCH_EXTENT === 'try' ? tried : usual);

export const pairsOf = (usual = 5) => extent(Number(process.env.PAIRS ?? usual), 1);
