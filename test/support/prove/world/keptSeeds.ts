/** Seeds that have found a bug, with a description of it. Do not change them: `npm run test:all` always runs them. */
export const KEPT_SEEDS: Readonly<Record<number, string>> = {
  482: 'a send that was repeated after a restore and then cancelled was released, although the chain had paid it',
};
