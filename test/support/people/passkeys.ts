/** A person's passkey, through the API: asks for a challenge, signs it and sends the proof. */
import type { Answer } from '../http/answer.ts';
import type { TestServer } from '../server.ts';
import type { Owner } from './openOwners.ts';
import { type Changes, makePasskey, type SoftPasskey } from './softPasskey.ts';

const ORIGIN = 'http://wallet.localhost:8002';

type Caller = Pick<TestServer, 'call'>;
type Deed = Readonly<Record<string, unknown>> & { readonly deed: string };

export function openPasskeys({ call }: Caller) {
  const challenge = (owner: Owner, deed: Deed): Promise<Answer> =>
    call('POST', '/api/v1/passkeys/challenges', deed, owner.session);

  const send = (owner: Owner, challengeId: string, signed: ReturnType<SoftPasskey['sign']>): Promise<Answer> =>
    call(
      'POST',
      '/api/v1/passkeys/proofs',
      {
        challenge_id: challengeId,
        credential_id: signed.id,
        client_data: signed.response.clientDataJSON,
        authenticator_data: signed.response.authenticatorData,
        signature: signed.response.signature,
      },
      owner.session,
    );

  const register = (owner: Owner, asked: Answer, passkey: SoftPasskey, changes: Changes = {}): Promise<Answer> => {
    const made = passkey.register(asked.body.options, changes);
    return call(
      'POST',
      '/api/v1/passkeys',
      {
        challenge_id: asked.body.challenge_id,
        name: 'Phone',
        credential_id: made.id,
        client_data: made.response.clientDataJSON,
        attestation: made.response.attestationObject,
        transports: made.response.transports,
      },
      owner.session,
    );
  };

  return {
    challenge,
    send,
    register,
    /** Confirms a deed as an honest wallet does. */
    async prove(owner: Owner, passkey: SoftPasskey, deed: Deed): Promise<Answer> {
      const asked = await challenge(owner, deed);
      if (asked.status !== 200) return asked;
      return send(owner, asked.body.challenge_id, passkey.sign(asked.body.options));
    },
    async add(owner: Owner, settings: Partial<Parameters<typeof makePasskey>[0]> = {}): Promise<SoftPasskey> {
      const passkey = makePasskey({ origin: ORIGIN, ...settings });
      const added = await register(owner, await challenge(owner, { deed: 'register' }), passkey);
      if (added.status !== 200) throw new Error(`adding a passkey was answered ${JSON.stringify(added.body)}`);
      return passkey;
    },
    list: (owner: Owner): Promise<Answer> => call('GET', '/api/v1/passkeys', undefined, owner.session),
    setRule: (owner: Owner, above?: number): Promise<Answer> =>
      call('POST', '/api/v1/passkeys/rule', above === undefined ? {} : { ask_above: above }, owner.session),
  };
}
