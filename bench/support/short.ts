/**
 * `--short`: every step of a benchmark runs once, on tiny sizes. Its figures mean nothing; it shows that the benchmark
 * still works. Targets about time are not checked then.
 */
export const isShort = process.argv.includes('--short');

export const sized = <T>(full: T, short: T): T => (isShort ? short : full);
