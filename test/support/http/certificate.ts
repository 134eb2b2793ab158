/** Certificates for this machine and their authorities, made in memory: production uses TLS for every connection. */
import { createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';

export interface Certificate {
  /** PEM. */
  readonly cert: string;
  readonly key: string;
}

interface Authority extends Certificate {
  /** A certificate for `localhost`, as server or as client; by default valid from yesterday until tomorrow. */
  issue(validity?: Validity): Certificate;
}

interface Validity {
  readonly fromMs?: number;
  readonly toMs?: number;
}

const encode = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  const { length } = body;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
};
const sequence = (...parts: readonly Buffer[]) => encode(0x30, ...parts);
const id = (hex: string) => encode(0x06, Buffer.from(hex, 'hex'));
const octets = (...parts: readonly Buffer[]) => encode(0x04, ...parts);
const bits = (bytes: Buffer) => encode(0x03, Buffer.from([0]), bytes);
const time = (at: Date) => encode(0x17, Buffer.from(`${at.toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`));
const TRUE = encode(0x01, Buffer.from([0xff]));

const ECDSA_SHA256 = sequence(id('2a8648ce3d040302'));
const nameOf = (text: string) => sequence(encode(0x31, sequence(id('550403'), encode(0x0c, Buffer.from(text)))));
const DAY_MS = 86_400_000;

/** All authorities have the same name, so code that distinguishes them by name fails. */
export function createAuthority(validity: Validity = {}): Authority {
  const name = nameOf('Florin test');
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const authority = build({ ...validity, name, issuer: name, isAuthority: true, keys: own, signer: own.privateKey });
  return {
    ...authority,
    issue(wanted = {}) {
      const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const subject = nameOf('Florin test leaf');
      return build({ ...wanted, name: subject, issuer: name, isAuthority: false, keys, signer: own.privateKey });
    },
  };
}

/** A self-signed server certificate. */
export const createCertificate = (): Certificate => {
  const { cert, key } = createAuthority();
  return { cert, key };
};

function build({
  name,
  issuer,
  isAuthority,
  keys,
  signer,
  fromMs = Date.now() - DAY_MS,
  toMs = Date.now() + DAY_MS,
}: Validity & {
  readonly name: Buffer;
  readonly issuer: Buffer;
  readonly isAuthority: boolean;
  readonly keys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
  readonly signer: KeyObject;
}): Certificate {
  const names = sequence(encode(0x82, Buffer.from('localhost')), encode(0x87, Buffer.from([127, 0, 0, 1])));
  const extensions = sequence(
    sequence(id('551d11'), octets(names)),
    sequence(id('551d13'), TRUE, octets(sequence(...(isAuthority ? [TRUE] : [])))),
  );
  const content = sequence(
    encode(0xa0, encode(0x02, Buffer.from([2]))),
    encode(0x02, Buffer.from([1]), randomBytes(8)),
    ECDSA_SHA256,
    issuer,
    sequence(time(new Date(fromMs)), time(new Date(toMs))),
    name,
    keys.publicKey.export({ type: 'spki', format: 'der' }),
    encode(0xa3, extensions),
  );
  const signature = createSign('sha256').update(content).sign(signer);
  const base64 = sequence(content, ECDSA_SHA256, bits(signature)).toString('base64');
  const lines = base64.match(/.{1,64}/g)!.join('\n');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
