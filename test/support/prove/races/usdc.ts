export const usdc = (whole: number): bigint => BigInt(whole) * 1_000_000n;
