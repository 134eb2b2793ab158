/** Checks the settings of a guide: the configuration parser of the process that they are for must accept them. */
import { readConfig, readSigner } from '../../../server/src/bin/config/config.ts';

const SECRET = 'q7Jm2vXk9LpR4tYw8ZsB3nCf6HdG1aEu5';
const SHARED = {
  DATABASE_URL: 'postgres://florin:p4Xw8ZsB3nCf6Hd@db.internal/florin?sslmode=verify-full',
  FLORIN_SIGNER_URL: 'unix:/run/florin/signer.sock',
};
const SERVER = {
  ...SHARED,
  FLORIN_SIGNER_TOKEN: SECRET,
  FLORIN_OIDC_ISSUERS: '[{"issuer":"https://other.example.com","audience":"florin"}]',
};
const SIGNER = {
  ...SHARED,
  FLORIN_SIGNER_TOKENS: `server=${SECRET}1, worker=${SECRET}2`,
  FLORIN_WALLET_SEED_FILE: '/etc/florin/wallet-seed.json',
  FLORIN_WALLET_SECRET: `${SECRET}3`,
  FLORIN_SIGNER_LIMITS: 'none',
  FLORIN_CHAINS: '[{"blockchain":"ETH-SEPOLIA","rpc_urls":["https://node.example.com/key"]}]',
};

/** The settings as the process has read them; throws with all faults. */
export function checkSettings(block: string): ReturnType<typeof readConfig> | ReturnType<typeof readSigner> {
  const given = Object.fromEntries(
    block
      .trim()
      .split('\n')
      .map((line) => {
        const [, name, value] = /^([A-Z][A-Z_0-9]*)=(.*)$/.exec(line) ?? [];
        if (name === undefined) throw new Error(`not a setting: ${line}`);
        return [name, value!];
      }),
  );
  const isSigners = Object.keys(given).some((name) => /^FLORIN_(WALLETS|WALLET_SE|CIRCLE_|SIGNER_TOKENS)/.test(name));
  return isSigners ? readSigner({ ...SIGNER, ...given }) : readConfig({ ...SERVER, ...given });
}
