/** The blockchain on which people pay each other. */
export const HOME = 'ETH-SEPOLIA';
/** A wallet secret that the configuration accepts as strong. */
export const SECRET = 'Zk3vQ9tW7mLx2RfB8nJc5HpY1sDg6TuE';
/** The token that server and worker present to the signer. */
export const SIGNER_TOKENS = {
  server: 'wq4Vt8Lm2Zr6Yc1Nb7Kd3Xh9Pf5Js0Gu',
  worker: 'Hn5Rb1Tz8Qk3Wy6Lc9Vd2Mf7Xg4Jp0Sa',
} as const;
/** An id that no user has. */
export const UNKNOWN_USER_ID = '00000000-0000-4000-8000-000000000000';
