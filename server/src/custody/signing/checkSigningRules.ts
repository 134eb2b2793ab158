import { addressKey } from '../../core/families.ts';
import { formatUsdc } from '../../core/money.ts';
import type { RailName } from '../../core/providers.ts';
import type { SigningRefusal } from '../../core/signer.ts';
import { isNonceOf, toHex } from '../eip3009/authorizations.ts';
import type { SigningMove } from './readMoves.ts';
import { findNetwork, isOwnWallet, type SigningApp } from './signingApp.ts';

export const OTHER_NONCE = 'its nonce is not made from its id';
export const overDay = (limit: bigint): string => `the signer signs at most ${formatUsdc(limit)} USDC in 24 hours`;

type Objection = Omit<SigningRefusal, 'id'>;

const never = (reason: string): Objection => ({ reason, isForNow: false });
const notNow = (reason: string): Objection => ({ reason, isForNow: true });

/** Returns why the signer does not allow this move on this rail, or undefined if it does. These are all its rules. */
export async function checkSigningRules(
  app: SigningApp,
  move: SigningMove,
  rail: RailName = 'eip3009',
): Promise<Objection | undefined> {
  const isSend = move.purpose === 'send';
  return (
    findFault(app, move, rail) ??
    (isSend ? findSendFault(move) : undefined) ??
    (await findWalletFault(app, move, rail)) ??
    findObstacle(app, move, rail)
  );
}

function findFault(app: SigningApp, move: SigningMove, rail: RailName): Objection | undefined {
  if (move.rail !== rail) return never(rail === 'eip3009' ? 'it is not carried by us' : 'it is carried by us');
  if (!move.isOpen) return never('it has ended');
  // On the rail `provider`, `ask_transfer` decides instead: a transfer that the provider may have received must first
  // get its id, because it can only be cancelled by its id.
  if (move.isUnwanted && rail === 'eip3009') return never('it is to be cancelled');
  if (move.nonce && !isNonceOf(move, toHex(move.nonce))) return never(OTHER_NONCE);
  if (!findNetwork(app, move)) return never(`the signer does not know this token on ${move.blockchain}`);
  return undefined;
}

/** A send must match its payment and its hold, which only the statement that accepts payments writes. */
function findSendFault(move: SigningMove): Objection | undefined {
  if (move.destination === null) return never('there is no such payment');
  if (addressKey(move.destination) !== addressKey(move.to)) return never('its payment goes to another address');
  if (!move.isFromPayer) return never('its payment is of another wallet');
  if (move.held !== move.amount) return never('no such amount is held for it');
  if (move.isWaiting) return notNow('its payment waits for approval, or for its time');
  return undefined;
}

async function findWalletFault(app: SigningApp, move: SigningMove, rail: RailName): Promise<Objection | undefined> {
  if (!(rail === 'eip3009' ? app.keyrings : app.senders)[move.provider])
    return never('the signer has no keys of this provider');
  if (move.from !== move.address) return never('its wallet has another address');
  if (!(await isOwnWallet(app, move.provider, move.reference, move.address))) {
    // With the wrong account, a provider reports that the wallet does not exist. That must not end a payment.
    const isAsked = rail === 'provider' || app.keyrings[move.provider]!.perSecond !== undefined;
    return (isAsked ? notNow : never)('its wallet does not belong to the keys of this signer');
  }
  const { purpose, to, toProvider, toReference, toAddress } = move;
  if (purpose === 'settlement' && (to !== toAddress || !(await isOwnWallet(app, toProvider, toReference, toAddress)))) {
    return never('it is a settlement to a wallet that is not ours');
  }
  return undefined;
}

function findObstacle({ limits }: SigningApp, move: SigningMove, rail: RailName): Objection | undefined {
  if (move.pause !== null) return notNow(`signing is paused: ${move.pause}`);
  if (!move.isBacked) return notNow('its coins are not reserved');
  if (move.tokenName === null && rail === 'eip3009') return notNow('no worker has read the name of the token yet');
  if (move.purpose === 'send' && limits.payment !== undefined && move.amount > limits.payment) {
    return notNow(`the signer signs at most ${formatUsdc(limits.payment)} USDC in one payment`);
  }
  // Checked here so that a provider does not sign in vain. The database checks again when signatures are committed,
  // together with those of other signers.
  const isNew = rail === 'eip3009' && move.purpose === 'send' && !move.isSigned;
  if (isNew && limits.day !== undefined && move.inADay + move.amount > limits.day) return notNow(overDay(limits.day));
  return undefined;
}
