/**
 * The sandbox's own HTTP servers (issuer, KYC double, local chain) in one process, which reports the URLs to its
 * parent.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { places } from '../../sandbox/src/chain/genesis.ts';
import { openLocalChain } from '../../sandbox/src/chain/openLocalChain.ts';
import { serveLocalChain } from '../../sandbox/src/chain/serveLocalChain.ts';
import { startIssuer } from '../../sandbox/src/issuer/startIssuer.ts';
import { startSumsub } from '../../sandbox/src/kyc/startSumsub.ts';

const folder = await mkdtemp(join(tmpdir(), 'florin-doubles-'));
const issuer = await startIssuer({ keyFile: join(folder, 'key.json'), redirectUris: ['http://127.0.0.1/callback'] });
await rm(folder, { recursive: true });
const keys = { appToken: 'sbx:made-for-tests', secretKey: 'k1', webhookSecret: 'k2', level: 'basic-kyc-level' };
const sumsub = await startSumsub(keys);
const chain = await openLocalChain({ place: places['ETH-SEPOLIA'], mining: 'demand' });
const served = await serveLocalChain(chain, 'ETH-SEPOLIA');

process.on('disconnect', () => process.exit(0));
process.send?.({ issuerUrl: issuer.issuerUrl, sumsubUrl: sumsub.url, chainUrl: served.url });
