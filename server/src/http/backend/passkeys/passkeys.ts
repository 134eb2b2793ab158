import { PayError } from '../../../core/errors.ts';
import {
  askForPasskey,
  type Challenge,
  getChallenge,
  proveWithPasskey,
} from '../../../customers/passkeys/challenges.ts';
import {
  addPasskey,
  endPasskeyRemoval,
  getPasskeys,
  removePasskey,
  setPasskeyRule,
} from '../../../customers/passkeys/passkeys.ts';
import {
  ALGORITHMS,
  type PasskeySite,
  verifyAssertion,
  verifyNewPasskey,
} from '../../../customers/passkeys/verifyPasskey.ts';
import type { Caller } from '../../../customers/sessions/sessions.ts';
import type { Queryable } from '../../../db/database.ts';
import { renderPasskeys } from '../../answers/renderPasskeys.ts';
import type { JsonNumber } from '../../contract/json.ts';
import type { ApiCall, Operation } from '../../contract/operation.ts';
import { getRequiredCaller } from '../authorize.ts';
import { type DeedApp, parseAbove, parseDeed } from './deeds.ts';

interface App extends DeedApp {
  /** Undefined: the wallet is not served. */
  readonly passkeySite: PasskeySite | undefined;
}

/** For how long a browser waits for the person. */
const TIMEOUT_MS = 300_000;

const callerOf = (call: ApiCall): Caller => getRequiredCaller(call.caller as Caller | undefined);

function siteOf({ passkeySite }: App): PasskeySite {
  if (!passkeySite) throw new PayError('passkey.unavailable');
  return passkeySite;
}

const state = async (db: Queryable, userId: string) => ({ body: renderPasskeys(await getPasskeys(db, userId)) });
const decode = (text: string): Buffer => Buffer.from(text, 'base64url');

const list =
  (app: App): Operation =>
  (call) =>
    state(app.db, callerOf(call).userId);

const challenge =
  (app: App): Operation =>
  async (call) => {
    const caller = callerOf(call);
    const site = siteOf(app);
    const deed = await parseDeed(app, call, caller.userId);
    const asked = await app.db.tx((tx) => askForPasskey(tx, caller, deed));
    const options =
      deed.do === 'register' ? toCreate(site, asked, await nameOf(app.db, caller.userId)) : toSign(site, asked);
    return {
      body: { challenge_id: asked.challengeId, expires_at: asked.expiresAt.toISOString(), options },
    };
  };

async function nameOf(db: Queryable, userId: string) {
  const [row] = await db.query<{ name: string }>(
    `SELECT coalesce(n.username, u.email, 'me') AS name
       FROM users u LEFT JOIN usernames n ON n.user_id = u.user_id AND n.redirect_until IS NULL WHERE u.user_id = $1`,
    [userId],
  );
  return { id: Buffer.from(userId.replaceAll('-', ''), 'hex').toString('base64url'), name: row!.name };
}

const describe = ({ passkeys }: Challenge) =>
  passkeys.map(({ credential, transports }) => ({
    type: 'public-key',
    id: credential.toString('base64url'),
    transports,
  }));

/** For `navigator.credentials.create`. */
const toCreate = (
  { rpId, name }: PasskeySite,
  asked: Challenge,
  user: { readonly id: string; readonly name: string },
) => ({
  challenge: asked.challenge.toString('base64url'),
  rp: { id: rpId, name },
  user: { ...user, displayName: user.name },
  pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
  timeout: TIMEOUT_MS,
  attestation: 'none',
  authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
  excludeCredentials: describe(asked),
});

/** For `navigator.credentials.get`. */
const toSign = ({ rpId }: PasskeySite, asked: Challenge) => ({
  challenge: asked.challenge.toString('base64url'),
  rpId,
  timeout: TIMEOUT_MS,
  userVerification: 'required',
  allowCredentials: describe(asked),
});

interface ProofBody {
  readonly challenge_id: string;
  readonly credential_id: string;
  readonly client_data: string;
  readonly authenticator_data: string;
  readonly signature: string;
}

const prove =
  (app: App): Operation =>
  async (call) => {
    const caller = callerOf(call);
    const site = siteOf(app);
    const body = call.body as unknown as ProofBody;
    const assertion = {
      credential: decode(body.credential_id),
      clientData: decode(body.client_data),
      authenticatorData: decode(body.authenticator_data),
      signature: decode(body.signature),
    };
    const asked = await getChallenge(app.db, caller, body.challenge_id, assertion.credential);
    if (!asked.publicKey) throw new PayError('passkey.refused', { reason: 'signature' });
    await verifyAssertion(site, asked.challenge, { ...asked, publicKey: asked.publicKey }, assertion);
    await app.db.tx((tx) => proveWithPasskey(tx, caller, body.challenge_id, assertion));
    return { body: { success: true, challenge_id: body.challenge_id } };
  };

interface NewPasskeyBody {
  readonly challenge_id: string;
  readonly name: string;
  readonly credential_id: string;
  readonly client_data: string;
  readonly attestation: string;
  readonly transports: readonly string[] | null;
}

const add =
  (app: App): Operation =>
  async (call) => {
    const caller = callerOf(call);
    const site = siteOf(app);
    const body = call.body as unknown as NewPasskeyBody;
    const credential = decode(body.credential_id);
    const asked = await getChallenge(app.db, caller, body.challenge_id, credential);
    const made = await verifyNewPasskey(site, asked.challenge, {
      credential,
      clientData: decode(body.client_data),
      attestation: decode(body.attestation),
      transports: [...new Set(body.transports ?? [])],
    });
    const added = { ...made, name: body.name.trim() || 'Passkey', rpId: site.rpId };
    await app.db.tx((tx) => addPasskey(tx, caller, body.challenge_id, added));
    return state(app.db, caller.userId);
  };

const remove =
  (app: App): Operation =>
  async (call) => {
    const caller = callerOf(call);
    await app.db.tx((tx) => removePasskey(tx, caller, call.params.passkey_id!));
    return state(app.db, caller.userId);
  };

const setRule =
  (app: App): Operation =>
  async (call) => {
    const caller = callerOf(call);
    const { ask_above: above } = call.body as unknown as { readonly ask_above?: JsonNumber | null };
    await app.db.tx((tx) => setPasskeyRule(tx, caller, parseAbove(above)));
    return state(app.db, caller.userId);
  };

/** The person objects to the removal that an operator has begun. */
const keep =
  (app: App): Operation =>
  async (call) => {
    const { userId } = callerOf(call);
    await app.db.tx((tx) => endPasskeyRemoval(tx, userId));
    return state(app.db, userId);
  };

export const passkeyOperations = (app: App): Record<string, Operation> => ({
  list_passkeys: list(app),
  create_passkey_challenge: challenge(app),
  prove_passkey: prove(app),
  add_passkey: add(app),
  remove_passkey: remove(app),
  set_passkey_rule: setRule(app),
  keep_passkeys: keep(app),
});
