import type { Bid, Broadcast, Hex } from '../../core/ports.ts';
import type { Network } from '../network.ts';
import type { CustodyApp } from '../rail.ts';
import { toBytes, toHex } from './authorizations.ts';
import { highest, isTooLow, lower, raise } from './relaying/bids.ts';
import { noteMined } from './relaying/followMined.ts';
import { loseRelayTx } from './relaying/passForeignNonces.ts';
import type { Poll, PolledRelayer } from './relaying/pollChain.ts';
import { raiseGasLimit, shortenRelayTx } from './relaying/remakeRelayTx.ts';
import { endTrouble, shorten } from './relaying/shortOfGas.ts';
import { type Attempt, listWaitingRelayTxs, type WaitingRelayTx } from './relayTxs.ts';

/**
 * Brings every committed relay transaction to the chain: signs bytes for its nonce, commits them, and broadcasts only
 * committed bytes, again and again until they are in a block, with a higher bid when blocks require it. A node's answer
 * is only a hint about progress; it says nothing about a payment. Each relayer's relay transactions go in the order of
 * their nonces, those of several relayers in parallel. Returns how many wait for a block.
 */
export async function relayTransactions(app: CustodyApp, network: Network, poll: Poll): Promise<number> {
  const waiting = await noteMined(app, network, poll, await listWaitingRelayTxs(app.db, network.networkId));
  await Promise.all(
    poll.relayers.map(async (relayer) => {
      let leftWei = relayer.balanceWei;
      for (const relayTx of waiting.filter(({ relayerId }) => relayerId === relayer.relayerId)) {
        leftWei -= await relay({ app, network, poll, relayer, relayTx, leftWei });
      }
    }),
  );
  return waiting.length;
}

/** The work on one relay transaction in one pass. */
interface Pass {
  readonly app: CustodyApp;
  readonly network: Network;
  readonly poll: Poll;
  readonly relayer: PolledRelayer;
  readonly relayTx: WaitingRelayTx;
  /** The relayer's balance minus the possible cost of its earlier relay transactions. */
  readonly leftWei: bigint;
}

/** Returns the possible cost of the relay transaction. */
async function relay(pass: Pass): Promise<bigint> {
  const { network, poll, relayTx, leftWei } = pass;
  const { settings } = network;
  const live = relayTx.attempts.filter(({ version }) => version === relayTx.version);
  const [newest] = live;
  const costs = (bid: Bid) => relayTx.gasLimit * bid.maxFeeWei;
  if (newest && newest.gasLimit === relayTx.gasLimit) {
    const isDue = newest.ageMs > settings.bumpAfterMs && hasBlockPassed(pass, newest) && isTooLow(newest, poll.fees);
    const raised = isDue ? raise(highest(relayTx.attempts), poll.fees, settings.maxFeePerGasWei) : undefined;
    if (raised && costs(raised) <= leftWei) {
      await signAndOffer(pass, raised);
      return costs(raised);
    }
    const isSilent = newest.silentMs === undefined || newest.silentMs > settings.rebroadcastAfterMs;
    if (isSilent) await offerLive(pass, live);
    return costs(newest);
  }
  // Bytes of an older version must not be offered again, so the new bid is higher. If the cap does not allow that, the
  // same bid may still be mined first.
  const before = relayTx.attempts.length > 0 ? highest(relayTx.attempts) : undefined;
  const bid = before ? (raise(before, poll.fees, settings.maxFeePerGasWei) ?? before) : poll.bid;
  if (costs(bid) > leftWei) await runShort(pass, bid);
  else await signAndOffer(pass, bid);
  return costs(bid);
}

const hasBlockPassed = ({ poll }: Pass, { signedAtBlock }: Pick<Attempt, 'signedAtBlock'>): boolean =>
  signedAtBlock === undefined || poll.head.number > signedAtBlock;

const runShort = ({ app, network, relayer, relayTx, leftWei }: Pass, bid: Bid): Promise<void> =>
  shorten(app, network, relayer, relayTx, bid, leftWei);

type Bytes = Pick<Attempt, 'hash' | 'raw' | 'signedAtBlock'> & Bid;

async function signAndOffer(pass: Pass, bid: Bid): Promise<void> {
  const bytes = await sign(pass, bid);
  if (bytes) await answerTo(pass, bytes, await offer(pass, bytes));
}

/**
 * The signer has committed the bytes when this returns. Undefined when it gave no signature: the next pass asks again.
 */
async function sign({ app, relayTx, poll }: Pass, bid: Bid): Promise<Bytes | undefined> {
  const signed = await app.signer.signRelayTx(relayTx.relayTxId, bid, poll.head.number);
  if (signed.outcome !== 'unknown')
    await noteRefusal(app, relayTx, signed.outcome === 'rejected' ? signed.reason : null);
  if (signed.outcome !== 'accepted') return undefined;
  return { hash: signed.hash, raw: toBytes(signed.raw), ...bid, signedAtBlock: poll.head.number };
}

/** So that operators see it: nothing on the chain shows why the relay transaction waits. */
async function noteRefusal(app: CustodyApp, { relayTxId, refusal }: WaitingRelayTx, now: string | null): Promise<void> {
  if (now === refusal) return;
  if (now !== null) app.onRefusal?.(now);
  await app.db.query('UPDATE carriers SET refusal = left($2, 500) WHERE carrier_id = $1', [relayTxId, now]);
}

/** Refusals of a bid that do not apply to a lower bid, which was signed before and may be mined as well. */
const TOO_MUCH = ['fee_cap', 'insufficient_funds'];

/**
 * Offers the newest bytes. If they are too expensive for a node or for the relayer, also offers those of lower bids.
 */
async function offerLive(pass: Pass, live: readonly Attempt[]): Promise<void> {
  const [newest, ...older] = live;
  const said = await offer(pass, newest!);
  if (said.outcome === 'rejected' && TOO_MUCH.includes(said.reason)) {
    for (const bytes of older) if ((await offer(pass, bytes)).outcome === 'accepted') return;
  }
  await answerTo(pass, newest!, said);
}

async function offer({ app, network, relayer }: Pass, bytes: Bytes): Promise<Broadcast> {
  const said = await network.chain.broadcast(toHex(bytes.raw));
  await note(app, bytes.hash, said);
  if (said.outcome === 'accepted' && relayer.isInTrouble) await endTrouble(app, relayer.relayerId);
  return said;
}

/** Reacts to a refusal. All other bytes are offered again in a later pass. */
async function answerTo(pass: Pass, bytes: Bytes, said: Broadcast): Promise<void> {
  if (said.outcome !== 'rejected') return;
  const { app, network, poll, relayer, relayTx } = pass;
  const reason: string = said.reason;
  if (reason === 'nonce_too_low') return loseRelayTx(app, network, relayer, relayTx);
  if (reason === 'insufficient_funds') return runShort(pass, bytes);
  if (reason === 'gas_limit') {
    if (/too low|intrinsic/i.test(said.message)) return raiseGasLimit(app, relayTx);
    if (relayTx.calls > 1) return shortenRelayTx(app, network, relayTx.relayTxId, Math.ceil(relayTx.calls / 2));
  }
  if (reason === 'fee_cap') {
    const lowered = lower(bytes, poll.fees);
    if (lowered) return void (await sign(pass, lowered));
    if (relayTx.calls > 1) return shortenRelayTx(app, network, relayTx.relayTxId, Math.ceil(relayTx.calls / 2));
  }
  // At most one raise per block, whatever the nodes answer.
  if (!hasBlockPassed(pass, bytes)) return;
  const replaces =
    reason === 'replacement_underpriced' && relayTx.attempts.some((one) => one.version < relayTx.version);
  if (!replaces && reason !== 'underpriced' && reason !== 'fee_below_base') return;
  const raised = raise(highest([bytes, ...relayTx.attempts]), poll.fees, network.settings.maxFeePerGasWei);
  const next = raised && (await sign(pass, raised));
  if (next) await offer(pass, next);
}

async function note(app: CustodyApp, hash: Hex, said: Broadcast): Promise<void> {
  const answer = said.outcome === 'accepted' ? 'accepted' : `${said.outcome}: ${said.message}`.slice(0, 300);
  await app.db.query('UPDATE carrier_attempts SET broadcast_at = clock_timestamp(), answer = $2 WHERE hash = $1', [
    hash,
    answer,
  ]);
}
