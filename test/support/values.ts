/** The blockchain that people pay each other on. */
export const HOME = 'ETH-SEPOLIA';
/** A wallet secret that the configuration takes for strong. */
export const SECRET = 'Zk3vQ9tW7mLx2RfB8nJc5HpY1sDg6TuE';
/** The id of no user. */
export const NOBODY = '00000000-0000-4000-8000-000000000000';
