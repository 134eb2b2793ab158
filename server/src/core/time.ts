/** Chain time counts seconds; it stays below what a number holds exactly for as long as anybody will read this. */
export const dateOfSeconds = (seconds: bigint): Date => new Date(Number(seconds) * 1000);
