import { smaller } from '../../core/bigints.ts';
import type { Broadcast, Fees, Hex, Receipt } from '../../core/ports.ts';
import type { Network } from '../network.ts';
import type { CustodyApp } from '../rail.ts';
import { toBytes, toHex } from './authorizations.ts';
import { type Attempt, listPendingCarriers, type PendingCarrier } from './carriers.ts';
import { endCarrier, loseCarrier } from './endCarrier.ts';

/**
 * Brings every committed carrier to its end: signs bytes for its nonce, commits them, broadcasts what is committed and
 * never anything else, again and again until it is mined and final, with a higher fee when it lingers. Whatever a
 * node answers is a hint about progress; no answer says anything about a payment.
 */
export async function relayCarriers(app: CustodyApp, network: Network): Promise<void> {
  const carriers = await listPendingCarriers(app.db, network.networkId);
  if (carriers.length === 0) return;
  const fees = await network.chain.getFees();
  for (const carrier of carriers) await relay(app, network, carrier, fees);
}

async function relay(app: CustodyApp, network: Network, carrier: PendingCarrier, fees: Fees): Promise<void> {
  const { settings } = network;
  const receipt = await findReceipt(network, carrier);
  if (receipt) return endCarrier(app, network, carrier, receipt);
  const [newest] = carrier.attempts;
  if (!newest) {
    const first = { maxFeeWei: fees.maxFeePerGas, priorityFeeWei: fees.maxPriorityFeePerGas };
    return signAndOffer(app, network, carrier, cap(first, settings.maxFeePerGasWei), fees);
  }
  if (newest.version < carrier.version) {
    // What pays must not be offered again. Where the cap forbids to outbid it, the same bid may still be the first.
    const bid = raise(newest, fees, settings.maxFeePerGasWei) ?? newest;
    return signAndOffer(app, network, carrier, bid, fees);
  }
  if (newest.ageMs > settings.bumpAfterMs) {
    const raised = raise(newest, fees, settings.maxFeePerGasWei);
    if (raised) return signAndOffer(app, network, carrier, raised, fees);
  }
  if (newest.silentMs === undefined || newest.silentMs > settings.rebroadcastAfterMs) {
    return offer(app, network, carrier, newest, fees);
  }
}

async function findReceipt(network: Network, carrier: PendingCarrier): Promise<Receipt | undefined> {
  for (const { hash } of carrier.attempts) {
    const receipt = await network.chain.findReceipt(hash);
    if (receipt) return receipt;
  }
  return undefined;
}

type Bid = Pick<Attempt, 'maxFeeWei' | 'priorityFeeWei'>;

const cap = ({ maxFeeWei, priorityFeeWei }: Bid, limit: bigint): Bid => {
  const fee = smaller(maxFeeWei, limit);
  return { maxFeeWei: fee, priorityFeeWei: smaller(priorityFeeWei, fee) };
};

/** Pools replace at ten per cent more of both, rounded up, and never for less; undefined when the cap forbids it. */
export function raise(old: Bid, fees: Fees, limit: bigint): Bid | undefined {
  const more = (wei: bigint) => wei + (wei + 7n) / 8n + 1n;
  const max = (a: bigint, b: bigint) => (a > b ? a : b);
  const raised = {
    maxFeeWei: max(more(old.maxFeeWei), fees.maxFeePerGas),
    priorityFeeWei: max(more(old.priorityFeeWei), fees.maxPriorityFeePerGas),
  };
  const bid = cap(raised, limit);
  const isTaken = bid.maxFeeWei * 10n >= old.maxFeeWei * 11n && bid.priorityFeeWei * 10n >= old.priorityFeeWei * 11n;
  return isTaken ? bid : undefined;
}

type Bytes = Pick<Attempt, 'hash' | 'raw'> & Bid;

async function signAndOffer(app: CustodyApp, network: Network, carrier: PendingCarrier, bid: Bid, fees: Fees) {
  const bytes = await sign(app, network, carrier, bid);
  if (bytes) await offer(app, network, carrier, bytes, fees);
}

/** Committed when this returns. Undefined when the signer gave no signature: it is asked again at the next turn. */
async function sign(app: CustodyApp, network: Network, carrier: PendingCarrier, bid: Bid): Promise<Bytes | undefined> {
  const signed = await app.signer.signCarrier(carrier.reference, {
    chainId: network.chain.chainId,
    nonce: Number.parseInt(String(carrier.nonce), 10),
    to: carrier.target,
    data: toHex(carrier.data),
    gasLimit: carrier.gasLimit,
    maxFeePerGas: bid.maxFeeWei,
    maxPriorityFeePerGas: bid.priorityFeeWei,
  });
  if (signed.outcome !== 'accepted') return undefined;
  const { hash, raw } = signed;
  await app.db.query(
    `INSERT INTO carrier_attempts (hash, carrier_id, version, raw, max_fee_wei, priority_fee_wei)
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (hash) DO NOTHING`,
    [hash, carrier.carrierId, carrier.version, toBytes(raw), bid.maxFeeWei, bid.priorityFeeWei],
  );
  return { hash, raw: toBytes(raw), maxFeeWei: bid.maxFeeWei, priorityFeeWei: bid.priorityFeeWei };
}

async function offer(app: CustodyApp, network: Network, carrier: PendingCarrier, bytes: Bytes, fees: Fees) {
  const said = await network.chain.broadcast(toHex(bytes.raw));
  await note(app, bytes.hash, said);
  if (said.outcome !== 'rejected') return;
  if (said.reason === 'nonce_too_low') return loseCarrier(app, network, carrier);
  // A pool has a higher bid for this nonce, or the base fee has risen above ours: bid again at once.
  if (['replacement_underpriced', 'underpriced', 'fee_below_base'].includes(said.reason)) {
    const raised = raise(bytes, fees, network.settings.maxFeePerGasWei);
    if (!raised) return;
    const next = await sign(app, network, carrier, raised);
    if (!next) return;
    await note(app, next.hash, await network.chain.broadcast(toHex(next.raw)));
  }
}

async function note(app: CustodyApp, hash: Hex, said: Broadcast): Promise<void> {
  const answer = said.outcome === 'accepted' ? 'accepted' : `${said.outcome}: ${said.message}`.slice(0, 300);
  await app.db.query('UPDATE carrier_attempts SET broadcast_at = clock_timestamp(), answer = $2 WHERE hash = $1', [
    hash,
    answer,
  ]);
}
