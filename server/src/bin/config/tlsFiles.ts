import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { TlsIdentity } from '../../http/contract/createTlsServer.ts';

/** The certificate of both APIs, and the authorities whose clients the Web3 API accepts. */
export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
  readonly clientCaFile?: string | undefined;
}

const CERT = 'FLORIN_TLS_CERT_FILE';
const KEY = 'FLORIN_TLS_KEY_FILE';
const CLIENT_CA = 'FLORIN_WEB3_CLIENT_CA_FILE';

/** Certificate and key go together, and client certificates need both of them. */
export function findTlsFiles(given: Partial<Record<typeof CERT | typeof KEY | typeof CLIENT_CA, string | undefined>>): {
  readonly files?: TlsFiles;
  readonly faults: readonly string[];
} {
  const { [CERT]: certFile, [KEY]: keyFile, [CLIENT_CA]: clientCaFile } = given;
  if (certFile && keyFile) return { files: { certFile, keyFile, clientCaFile }, faults: [] };
  const faults: string[] = [];
  if (certFile) faults.push(`${KEY} is missing: it belongs to ${CERT}`);
  if (keyFile) faults.push(`${CERT} is missing: it belongs to ${KEY}`);
  if (clientCaFile)
    faults.push(`${CLIENT_CA} needs ${CERT} and ${KEY}: client certificates require that Florin terminates TLS`);
  return { faults };
}

/** The identity, or all faults of the files; no message shows their content. */
export function readTls(files: TlsFiles): { readonly identity?: TlsIdentity; readonly faults: readonly string[] } {
  const faults: string[] = [];
  const read = (name: string, file: string): string => {
    try {
      return readFileSync(file, 'utf8');
    } catch (error) {
      faults.push(`${name} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'}): ${file}`);
      return '';
    }
  };
  const cert = read(CERT, files.certFile);
  const key = read(KEY, files.keyFile);
  const clientCa = files.clientCaFile === undefined ? undefined : read(CLIENT_CA, files.clientCaFile);
  if (faults.length === 0) {
    faults.push(...findPairFaults(cert, key));
    if (clientCa !== undefined) faults.push(...findAuthorityFaults(clientCa));
  }
  const identity: TlsIdentity = { cert, key, ...(clientCa !== undefined && { clientCa }) };
  if (faults.length === 0) faults.push(...findContextFaults(identity));
  return faults.length === 0 ? { identity, faults } : { faults };
}

function findPairFaults(cert: string, key: string): string[] {
  const [own] = parseCertificates(cert);
  const privateKey = parseKey(key);
  const faults: string[] = [];
  if (!own) faults.push(`${CERT} holds no certificate in PEM`);
  else faults.push(...findDateFaults(own).map((fault) => `${CERT}: the certificate ${fault}`));
  if (!privateKey) faults.push(`${KEY} holds no private key in PEM without a passphrase`);
  if (own && privateKey && !own.checkPrivateKey(privateKey)) faults.push(`${KEY} is not the key of ${CERT}`);
  return faults;
}

/**
 * During a rotation, one authority may have expired. That is a fault only if all have expired, since no client could
 * connect.
 */
function findAuthorityFaults(pem: string): string[] {
  const authorities = parseCertificates(pem);
  if (authorities.length === 0) return [`${CLIENT_CA} holds no certificate in PEM`];
  if (!authorities.every(({ ca }) => ca)) return [`${CLIENT_CA} holds a certificate that is not an authority's`];
  const faults = authorities.map(findDateFaults);
  return faults.every((found) => found.length > 0) ? faults.flat().map((fault) => `${CLIENT_CA}: it ${fault}`) : [];
}

function findDateFaults(certificate: X509Certificate): string[] {
  const [from, to] = [certificate.validFrom, certificate.validTo].map((text) => new Date(text)) as [Date, Date];
  const now = new Date();
  if (to < now) return [`expired at ${to.toISOString()}`];
  return from > now ? [`is not valid before ${from.toISOString()}`] : [];
}

/** Faults that only OpenSSL finds, such as keys that are too short. */
function findContextFaults({ cert, key, clientCa }: TlsIdentity): string[] {
  try {
    createSecureContext({ cert, key, ...(clientCa !== undefined && { ca: clientCa }) });
    return [];
  } catch (error) {
    return [`${CERT} and ${KEY} cannot be used (${(error as NodeJS.ErrnoException).code ?? 'refused by OpenSSL'})`];
  }
}

const PEM = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

function parseCertificates(pem: string): X509Certificate[] {
  try {
    return (pem.match(PEM) ?? []).map((one) => new X509Certificate(one));
  } catch {
    return [];
  }
}

function parseKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

/** When our certificate expires, in seconds since 1970: a metric, so that operators can be warned in time. */
export const expiryOf = ({ cert }: TlsIdentity): number => Date.parse(parseCertificates(cert)[0]!.validTo) / 1000;
