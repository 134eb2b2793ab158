import type { Bid, Broadcast, Hex } from '../../core/ports.ts';
import type { Network } from '../network.ts';
import type { CustodyApp } from '../rail.ts';
import { toBytes, toHex } from './authorizations.ts';
import { highest, isTooLow, lower, raise } from './relaying/bids.ts';
import { noteMined } from './relaying/followMined.ts';
import { loseCarrier } from './relaying/passForeignNonces.ts';
import type { Poll, PolledRelayer } from './relaying/pollChain.ts';
import { raiseGasLimit, shortenCarrier } from './relaying/remakeRelayTx.ts';
import { endTrouble, shorten } from './relaying/shortOfGas.ts';
import { type Attempt, listWaitingRelayTxs, type WaitingRelayTx } from './relayTxs.ts';

/**
 * Brings every committed relay transaction to the chain: signs bytes for its nonce, commits them, and broadcasts only
 * committed bytes, again and again until they are in a block, with a higher bid when blocks require it. A node's answer
 * is only a hint about progress; it says nothing about a payment. Each relayer's relay transactions go in the order of
 * their nonces, those of several relayers in parallel. Returns how many wait for a block.
 */
export async function relayTransactions(app: CustodyApp, network: Network, look: Poll): Promise<number> {
  const waiting = await noteMined(app, network, look, await listWaitingRelayTxs(app.db, network.networkId));
  await Promise.all(
    look.relayers.map(async (relayer) => {
      let leftWei = relayer.balanceWei;
      for (const carrier of waiting.filter(({ relayerId }) => relayerId === relayer.relayerId)) {
        leftWei -= await relay({ app, network, look, relayer, carrier, leftWei });
      }
    }),
  );
  return waiting.length;
}

/** The work on one relay transaction in one pass. */
interface Turn {
  readonly app: CustodyApp;
  readonly network: Network;
  readonly look: Poll;
  readonly relayer: PolledRelayer;
  readonly carrier: WaitingRelayTx;
  /** The relayer's balance minus the possible cost of its earlier relay transactions. */
  readonly leftWei: bigint;
}

/** Returns the possible cost of the relay transaction. */
async function relay(turn: Turn): Promise<bigint> {
  const { network, look, carrier, leftWei } = turn;
  const { settings } = network;
  const live = carrier.attempts.filter(({ version }) => version === carrier.version);
  const [newest] = live;
  const costs = (bid: Bid) => carrier.gasLimit * bid.maxFeeWei;
  if (newest && newest.gasLimit === carrier.gasLimit) {
    const isDue = newest.ageMs > settings.bumpAfterMs && hasBlockPassed(turn, newest) && isTooLow(newest, look.fees);
    const raised = isDue ? raise(highest(carrier.attempts), look.fees, settings.maxFeePerGasWei) : undefined;
    if (raised && costs(raised) <= leftWei) {
      await signAndOffer(turn, raised);
      return costs(raised);
    }
    const isSilent = newest.silentMs === undefined || newest.silentMs > settings.rebroadcastAfterMs;
    if (isSilent) await offerLive(turn, live);
    return costs(newest);
  }
  // Bytes of an older version must not be offered again, so the new bid is higher. If the cap does not allow that, the
  // same bid may still be mined first.
  const before = carrier.attempts.length > 0 ? highest(carrier.attempts) : undefined;
  const bid = before ? (raise(before, look.fees, settings.maxFeePerGasWei) ?? before) : look.bid;
  if (costs(bid) > leftWei) await runShort(turn, bid);
  else await signAndOffer(turn, bid);
  return costs(bid);
}

const hasBlockPassed = ({ look }: Turn, { signedAtBlock }: Pick<Attempt, 'signedAtBlock'>): boolean =>
  signedAtBlock === undefined || look.head.number > signedAtBlock;

const runShort = ({ app, network, relayer, carrier, leftWei }: Turn, bid: Bid): Promise<void> =>
  shorten(app, network, relayer, carrier, bid, leftWei);

type Bytes = Pick<Attempt, 'hash' | 'raw' | 'signedAtBlock'> & Bid;

async function signAndOffer(turn: Turn, bid: Bid): Promise<void> {
  const bytes = await sign(turn, bid);
  if (bytes) await answerTo(turn, bytes, await offer(turn, bytes));
}

/**
 * The signer has committed the bytes when this returns. Undefined when it gave no signature: the next pass asks again.
 */
async function sign({ app, carrier, look }: Turn, bid: Bid): Promise<Bytes | undefined> {
  const signed = await app.signer.signRelayTx(carrier.carrierId, bid, look.head.number);
  if (signed.outcome !== 'accepted') return undefined;
  return { hash: signed.hash, raw: toBytes(signed.raw), ...bid, signedAtBlock: look.head.number };
}

/** Refusals of a bid that do not apply to a lower bid, which was signed before and may be mined as well. */
const TOO_MUCH = ['fee_cap', 'insufficient_funds'];

/**
 * Offers the newest bytes. If they are too expensive for a node or for the relayer, also offers those of lower bids.
 */
async function offerLive(turn: Turn, live: readonly Attempt[]): Promise<void> {
  const [newest, ...older] = live;
  const said = await offer(turn, newest!);
  if (said.outcome === 'rejected' && TOO_MUCH.includes(said.reason)) {
    for (const bytes of older) if ((await offer(turn, bytes)).outcome === 'accepted') return;
  }
  await answerTo(turn, newest!, said);
}

async function offer({ app, network, relayer }: Turn, bytes: Bytes): Promise<Broadcast> {
  const said = await network.chain.broadcast(toHex(bytes.raw));
  await note(app, bytes.hash, said);
  if (said.outcome === 'accepted' && relayer.isInTrouble) await endTrouble(app, relayer.relayerId);
  return said;
}

/** Reacts to a refusal. All other bytes are offered again in a later pass. */
async function answerTo(turn: Turn, bytes: Bytes, said: Broadcast): Promise<void> {
  if (said.outcome !== 'rejected') return;
  const { app, network, look, relayer, carrier } = turn;
  const reason: string = said.reason;
  if (reason === 'nonce_too_low') return loseCarrier(app, network, relayer, carrier);
  if (reason === 'insufficient_funds') return runShort(turn, bytes);
  if (reason === 'gas_limit') {
    if (/too low|intrinsic/i.test(said.message)) return raiseGasLimit(app, carrier);
    if (carrier.calls > 1) return shortenCarrier(app, network, carrier.carrierId, Math.ceil(carrier.calls / 2));
  }
  if (reason === 'fee_cap') {
    const lowered = lower(bytes, look.fees);
    if (lowered) return void (await sign(turn, lowered));
    if (carrier.calls > 1) return shortenCarrier(app, network, carrier.carrierId, Math.ceil(carrier.calls / 2));
  }
  // At most one raise per block, whatever the nodes answer.
  if (!hasBlockPassed(turn, bytes)) return;
  const replaces =
    reason === 'replacement_underpriced' && carrier.attempts.some((one) => one.version < carrier.version);
  if (!replaces && reason !== 'underpriced' && reason !== 'fee_below_base') return;
  const raised = raise(highest([bytes, ...carrier.attempts]), look.fees, network.settings.maxFeePerGasWei);
  const next = raised && (await sign(turn, raised));
  if (next) await offer(turn, next);
}

async function note(app: CustodyApp, hash: Hex, said: Broadcast): Promise<void> {
  const answer = said.outcome === 'accepted' ? 'accepted' : `${said.outcome}: ${said.message}`.slice(0, 300);
  await app.db.query('UPDATE carrier_attempts SET broadcast_at = clock_timestamp(), answer = $2 WHERE hash = $1', [
    hash,
    answer,
  ]);
}
