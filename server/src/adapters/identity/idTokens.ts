import {
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  jwtVerify,
  type ProtectedHeaderParameters,
} from 'jose';
import { describeError } from '../../core/describeError.ts';
import { PayError } from '../../core/errors.ts';
import type { Identity, IdTokens } from '../../core/ports.ts';
import { type IssuerKeys, type IssuerKeysOptions, issuerKeys } from './issuerKeys.ts';
import type { IssuerRule } from './issuerRule.ts';

const MAX_TOKEN_CHARACTERS = 16_384;
const MAX_SUBJECT_CHARACTERS = 255;
const CLOCK_TOLERANCE_SECONDS = 30;
/** ID tokens for a login live for minutes or hours. An older one was not issued for this login. */
const MAX_AGE_SECONDS = 24 * 60 * 60;

/** The end of the year 9999. JavaScript, PostgreSQL or both cannot represent later times. */
const LAST_SECOND = 253_402_300_799;

/** Headers in which a token could bring its own key or point to it. */
const KEY_HEADERS = ['jwk', 'jku', 'x5u', 'x5c'] as const;

type Refusal =
  | 'malformed'
  | 'algorithm'
  | 'header_key'
  | 'issuer'
  | 'audience'
  | 'unknown_key'
  | 'signature'
  | 'expired'
  | 'not_yet_valid'
  | 'subject'
  | 'claims'
  | 'anonymous';

const refuse = (reason: Refusal, cause?: unknown): PayError => new PayError('auth.invalid', { reason }, { cause });

interface IssuerStanding {
  readonly name: string;
  readonly status: 'ok' | 'degraded' | 'down';
  readonly says?: string;
}

/** ID token verification, with the state of the issuers for operators. */
interface WatchedIdTokens extends IdTokens {
  readonly names: readonly string[];
  probe(): Promise<readonly IssuerStanding[]>;
}

export function idTokens(rules: readonly IssuerRule[], options: IssuerKeysOptions = {}): WatchedIdTokens {
  const trusted = new Map<string, { rule: IssuerRule; keys: IssuerKeys }>();
  const watched = rules.map((rule) => ({ name: `issuer ${rule.issuers[0]}`, keys: issuerKeys(rule, options) }));
  for (const [i, rule] of rules.entries())
    for (const issuer of rule.issuers) trusted.set(issuer, { rule, keys: watched[i]!.keys });
  return {
    names: watched.map(({ name }) => name),
    probe: () =>
      Promise.all(
        watched.map(async ({ name, keys }): Promise<IssuerStanding> => {
          const { hasKeys, fault } = await keys.probe();
          if (fault === undefined) return { name, status: 'ok' };
          const says = describeError(fault);
          return hasKeys
            ? { name, status: 'degraded', says: `logins use the cached keys: ${says}` }
            : { name, status: 'down', says: `no one can log in: ${says}` };
        }),
      ),
    async verify(idToken) {
      const { header, issuer } = readUnverified(idToken);
      if (KEY_HEADERS.some((name) => name in header)) throw refuse('header_key');
      const found = trusted.get(issuer);
      if (!found) throw refuse('issuer');
      if (!found.rule.algorithms.includes(header.alg ?? '')) throw refuse('algorithm');
      // An issuer signs other tokens with the same keys, such as access tokens (at+jwt). They must not log anyone in.
      if (header.typ !== undefined && String(header.typ).toUpperCase() !== 'JWT') throw refuse('claims');
      const key = await found.keys.find(header.kid);
      if (key === 'unknown') throw refuse('unknown_key');
      if (typeof key === 'object') {
        const seconds = Math.max(1, Math.ceil(key.retryAfterMs / 1_000));
        throw new PayError('service.unavailable', { dependency: 'identity issuer', retry_after_seconds: seconds });
      }
      const { payload } = await jwtVerify(idToken, key, {
        issuer: [...found.rule.issuers],
        audience: [...found.rule.audiences],
        algorithms: [...found.rule.algorithms],
        // Without this, jose would accept a token that has no `exp` or `iat`.
        requiredClaims: ['exp', 'iat', 'sub'],
        maxTokenAge: MAX_AGE_SECONDS,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        ...(options.now && { currentDate: new Date(options.now()) }),
      }).catch((error: unknown) => {
        throw translate(error);
      });
      if (payload.exp! > LAST_SECOND) throw refuse('claims');
      return { identity: readIdentity(payload, found.rule), expiresAt: new Date(payload.exp! * 1000) };
    },
  };
}

/** Read before the signature is verified. Only used to choose the configured issuer whose keys must verify it. */
function readUnverified(idToken: string): { header: ProtectedHeaderParameters; issuer: string } {
  if (idToken.length > MAX_TOKEN_CHARACTERS) throw refuse('malformed');
  try {
    return { header: decodeProtectedHeader(idToken), issuer: String(decodeJwt(idToken).iss) };
  } catch (error) {
    throw refuse('malformed', error);
  }
}

function readIdentity(claims: JWTPayload, rule: IssuerRule): Identity {
  const { sub, aud, azp, email, email_verified: verified, firebase } = claims as JWTPayload & Record<string, unknown>;
  if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT_CHARACTERS || !isPlain(sub))
    throw refuse('subject');
  if ('events' in claims) throw refuse('claims');
  // A token for several audiences names in `azp` the client that requested it. That client must be us.
  if (Array.isArray(aud) && aud.length > 1 && !(typeof azp === 'string' && rule.audiences.includes(azp))) {
    throw refuse('audience');
  }
  const provider = (firebase as Record<string, unknown> | undefined)?.sign_in_provider;
  if (rule.refuseAnonymous && provider === 'anonymous') throw refuse('anonymous');
  const address = typeof email === 'string' && isPlain(email) ? email.toLowerCase() : '';
  const hasEmail = address.length > 0 && address.length <= 320;
  return {
    issuer: rule.identity,
    subject: sub,
    email: hasEmail ? address : null,
    // Apple sends the string 'true'.
    emailVerified: hasEmail && (verified === true || verified === 'true'),
  };
}

/**
 * Accepts only text that PostgreSQL stores unchanged: no NUL or other control characters, and no lone surrogates.
 * Different lone surrogates would be stored as the same replacement character, which would merge two people.
 */
const isPlain = (text: string): boolean => !/[\p{Cc}\p{Cs}]/u.test(text);

function translate(error: unknown): unknown {
  if (error instanceof errors.JWTExpired) return refuse('expired', error);
  if (error instanceof errors.JWTClaimValidationFailed) {
    const reasons: Record<string, Refusal> = {
      aud: 'audience',
      iss: 'issuer',
      nbf: 'not_yet_valid',
      iat: error.reason === 'check_failed' ? 'not_yet_valid' : 'claims',
      sub: 'subject',
    };
    return refuse(reasons[error.claim] ?? 'claims', error);
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) return refuse('signature', error);
  if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported) {
    return refuse('algorithm', error);
  }
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) {
    return refuse('unknown_key', error);
  }
  if (error instanceof errors.JOSEError) return refuse('malformed', error);
  // A key that is too weak for its algorithm, such as an RSA key of 512 bits, fails inside the crypto layer.
  return refuse('signature', error);
}
