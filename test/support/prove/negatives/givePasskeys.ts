/** Passkeys for the calls about them: each field that these calls need has a valid value. */
import { asAdmin } from '../../database.ts';
import { bearer } from '../../http/answer.ts';
import { openPasskeys } from '../../people/passkeys.ts';
import { makePasskey } from '../../people/softPasskey.ts';
import type { Member, NegativesWorld } from './openWorld.ts';

export const ownerOf = (world: NegativesWorld, { userId, username, accessToken }: Member) => ({
  session: { userId, name: username, session: bearer(accessToken) },
  passkeys: openPasskeys({ call: world.call }),
});

/** The values of valid calls, by operation and field. Each of them can be made once. */
export async function givePasskeys(world: NegativesWorld, who: Member): Promise<Readonly<Record<string, unknown>>> {
  const { session, passkeys } = ownerOf(world, who);
  const passkey = await passkeys.add(session);
  const { passkey_id: id } = (await passkeys.list(session)).body.passkeys[0];
  await passkeys.prove(session, passkey, { deed: 'add' });
  await passkeys.prove(session, passkey, { deed: 'remove', passkey_id: id });
  const [register, deed] = [
    (await passkeys.challenge(session, { deed: 'register' })).body,
    (await passkeys.challenge(session, { deed: 'create_key' })).body,
  ];
  const made = makePasskey({ origin: 'http://wallet.localhost' }).register(register.options);
  const signed = passkey.sign(deed.options);
  await asAdmin(world.florin.databaseUrl, `UPDATE passkey_challenges SET expires_at = now() + interval '1 day'`);
  return {
    passkey_id: id,
    'create_passkey_challenge.receiver_username': undefined,
    'add_passkey.challenge_id': register.challenge_id,
    'add_passkey.name': 'Phone',
    'add_passkey.credential_id': made.id,
    'add_passkey.client_data': made.response.clientDataJSON,
    'add_passkey.attestation': made.response.attestationObject,
    'prove_passkey.challenge_id': deed.challenge_id,
    'prove_passkey.credential_id': signed.id,
    'prove_passkey.client_data': signed.response.clientDataJSON,
    'prove_passkey.authenticator_data': signed.response.authenticatorData,
    'prove_passkey.signature': signed.response.signature,
  };
}
