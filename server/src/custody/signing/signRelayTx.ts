import { derivePath } from '../../adapters/wallets/local/localWallets.ts';
import { OWN_PROVIDER } from '../../adapters/wallets/providers.ts';
import { formatGwei } from '../../core/money.ts';
import type { Bid, Hex, ProviderAnswer, SignedRelayTx } from '../../core/ports.ts';
import { toBytes, toHex } from '../eip3009/authorizations.ts';
import { encodeCalls, readCalls } from '../eip3009/relayCalls.ts';
import { MAX_GAS_LIMIT } from '../eip3009/relaying/gas.ts';
import type { SigningApp, SigningNetwork } from './signingApp.ts';

const MAX_RELAYERS = 16;
const RELAYER_PATHS = Array.from({ length: MAX_RELAYERS }, (_, number) => derivePath({ kind: 'relayer', number }));

interface RelayTxRow {
  readonly reference: string;
  readonly address: Hex;
  readonly blockchain: string;
  readonly chainId: bigint | null;
  readonly nonce: bigint;
  readonly target: Hex;
  readonly data: Buffer;
  readonly gasLimit: bigint;
  readonly version: number;
  readonly isPending: boolean;
  readonly assets: readonly { readonly assetId: number; readonly contract: Hex }[];
}

type Answer = ProviderAnswer<SignedRelayTx, string>;
const refuse = (reason: string): Answer => ({ outcome: 'rejected', reason });

/**
 * Signs the bytes of a committed relay transaction and commits them. It may contain only committed authorizations and
 * cancellations of tokens in the signer's configuration: its content is built again here, from these, and must be
 * identical.
 */
export async function signRelayTx(app: SigningApp, relayTxId: string, bid: Bid, headNumber: bigint): Promise<Answer> {
  const relayTx = await readRelayTx(app, relayTxId);
  if (!relayTx?.isPending) return refuse('there is no such relay transaction to sign');
  const network = app.networks.find((one) => one.blockchain === relayTx.blockchain);
  const fault =
    network && BigInt(network.chainId) === relayTx.chainId
      ? await findFault(app, network, relayTxId, relayTx, bid)
      : `${relayTx.blockchain} is not in the signer's configuration`;
  if (fault) return refuse(fault);
  const answer = await app.keyrings[OWN_PROVIDER]!.signRelayTx(relayTx.reference, {
    chainId: network!.chainId,
    nonce: Number.parseInt(String(relayTx.nonce), 10),
    to: relayTx.target,
    data: toHex(relayTx.data),
    gasLimit: relayTx.gasLimit,
    maxFeePerGas: bid.maxFeeWei,
    maxPriorityFeePerGas: bid.priorityFeeWei,
  });
  if (answer.outcome === 'accepted') await commit(app, relayTxId, relayTx, bid, headNumber, answer);
  return answer;
}

const readRelayTx = async (app: SigningApp, relayTxId: string): Promise<RelayTxRow | undefined> => {
  const [row] = await app.db.query<RelayTxRow>(
    `SELECT r.reference, r.address, n.blockchain, n.chain_id AS "chainId", c.nonce, c.target, c.data,
            c.gas_limit AS "gasLimit", c.version, c.state = 'pending' AS "isPending",
            (SELECT json_agg(json_build_object('assetId', s.asset_id, 'contract', s.contract)) FROM assets s
              WHERE s.network_id = n.network_id) AS assets
       FROM carriers c JOIN relayers r USING (relayer_id) JOIN networks n USING (network_id)
      WHERE c.carrier_id = $1`,
    [relayTxId],
  );
  return row;
};

async function findFault(
  app: SigningApp,
  network: SigningNetwork,
  relayTxId: string,
  relayTx: RelayTxRow,
  bid: Bid,
): Promise<string | undefined> {
  const [relayer] = RELAYER_PATHS.some((path) => path === relayTx.reference)
    ? await app.keyrings[OWN_PROVIDER]!.list([relayTx.reference])
    : [];
  if (relayer?.address !== relayTx.address) return 'its relayer does not belong to the keys of this signer';
  if (bid.maxFeeWei > network.maxFeePerGasWei || bid.priorityFeeWei > bid.maxFeeWei || bid.priorityFeeWei < 0n)
    return `the signer bids at most ${formatGwei(network.maxFeePerGasWei)} per gas on ${network.blockchain} (its FLORIN_MAX_FEE_GWEI), and the worker asks for ${formatGwei(bid.maxFeeWei)}`;
  if (relayTx.gasLimit > MAX_GAS_LIMIT) return `the signer signs for at most ${MAX_GAS_LIMIT} gas`;
  const calls = await readCalls(app.db, relayTxId);
  if (calls.length === 0) {
    const isIdle = relayTx.target === relayTx.address && relayTx.data.length === 0;
    return isIdle ? undefined : 'it has no calls but is not empty';
  }
  const known = network.tokens.map(({ contract }) => contract.toLowerCase());
  const assets = relayTx.assets.filter(({ contract }) => known.includes(contract?.toLowerCase()));
  if (calls.some((call) => !assets.some(({ assetId }) => assetId === call.asset_id)))
    return "it contains calls of a token that is not in the signer's configuration";
  if (calls.some((call) => call.signature === null)) return 'it contains a call without a signature';
  const { to, data } = encodeCalls(assets, calls);
  const isSame = to.toLowerCase() === relayTx.target.toLowerCase() && data === toHex(relayTx.data);
  return isSame ? undefined : 'its content does not match its calls';
}

const commit = (
  app: SigningApp,
  relayTxId: string,
  { version, gasLimit }: RelayTxRow,
  bid: Bid,
  headNumber: bigint,
  { hash, raw }: SignedRelayTx,
): Promise<unknown> =>
  app.db.query(
    `INSERT INTO carrier_attempts (hash, carrier_id, version, raw, gas_limit, max_fee_wei, priority_fee_wei, signed_at_block)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (hash) DO NOTHING`,
    [hash, relayTxId, version, toBytes(raw), gasLimit, bid.maxFeeWei, bid.priorityFeeWei, headNumber],
  );
