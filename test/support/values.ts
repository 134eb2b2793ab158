/** The blockchain that people pay each other on. */
export const HOME = 'ETH-SEPOLIA';
/** A wallet secret that the configuration takes for strong. */
export const SECRET = 'Zk3vQ9tW7mLx2RfB8nJc5HpY1sDg6TuE';
/** What server and worker show the signer. */
export const SIGNER_TOKENS = {
  server: 'wq4Vt8Lm2Zr6Yc1Nb7Kd3Xh9Pf5Js0Gu',
  worker: 'Hn5Rb1Tz8Qk3Wy6Lc9Vd2Mf7Xg4Jp0Sa',
} as const;
/** The id of no user. */
export const NOBODY = '00000000-0000-4000-8000-000000000000';
