import { asAdmin } from '../database.ts';

/** Moves that wait to be signed or relayed again are due now. */
export const endBackoffs = ({ databaseUrl }: { readonly databaseUrl: string }): Promise<unknown> =>
  asAdmin(databaseUrl, 'UPDATE authorizations SET carry_after = now() WHERE carry_after > now()');
