/** `Math.min` is for floats. */
// biome-ignore lint/complexity/useMathMinMax: it takes no bigint
export const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);
