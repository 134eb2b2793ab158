/** Seeds that have found a bug, and what it was. They stay as they are: `npm run test:all` runs them for ever. */
export const KEPT_SEEDS: Readonly<Record<number, string>> = {};
