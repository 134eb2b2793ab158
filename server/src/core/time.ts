/** Chains count time in seconds, far below the limit of exact integers in a number. */
export const dateOfSeconds = (seconds: bigint): Date => new Date(Number(seconds) * 1000);
