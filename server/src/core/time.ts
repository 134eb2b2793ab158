/** Chains count time in seconds, far below what a number holds exactly. */
export const dateOfSeconds = (seconds: bigint): Date => new Date(Number(seconds) * 1000);
