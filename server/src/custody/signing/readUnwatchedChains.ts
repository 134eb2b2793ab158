import type { ProviderAnswer } from '../../core/ports.ts';
import type { Arrival, ArrivalPage, Balance } from '../../core/providerSays.ts';
import type { ProviderSender } from '../../core/sender.ts';
import type { SigningApp } from './signingApp.ts';

type Answer<T> = ProviderAnswer<T, string>;

/** The provider on unwatched chains. */
const PROVIDER = 'circle_send';

const AWAY = { outcome: 'unknown', cause: 'the provider of the wallets does not answer' } as const;

/** Reads arrivals on an unwatched chain. The signer makes these requests, because only it has the provider's keys. */
export const listArrivals = (
  app: SigningApp,
  blockchain: string,
  since: string,
  after: string | undefined,
): Promise<Answer<ArrivalPage>> => askSender(app, (sender) => sender.listArrivals(blockchain, since, after));

export const findArrival = (app: SigningApp, blockchain: string, providerId: string): Promise<Answer<Arrival>> =>
  askSender(app, (sender) => sender.findArrival(blockchain, providerId));

/** Reads the balance of one of our wallets. The wallet's reference at the provider is read from the database. */
export async function readBalance(app: SigningApp, blockchain: string, walletId: string): Promise<Answer<Balance>> {
  const [wallet] = await app.db.query<{ reference: string; contract: string }>(
    `SELECT w.reference, s.contract FROM wallets w JOIN networks n USING (family) JOIN assets s USING (network_id)
      WHERE w.wallet_id = $1 AND w.provider = $2 AND n.blockchain = $3 AND s.symbol = 'USDC' AND s.contract IS NOT NULL`,
    [walletId, PROVIDER, blockchain],
  );
  if (!wallet) return { outcome: 'rejected', reason: 'the provider has no such wallet there' };
  const { reference, contract: token } = wallet;
  return askSender(app, (sender) => sender.readBalance({ blockchain, reference, token }));
}

async function askSender<T extends object>(
  app: SigningApp,
  ask: (sender: ProviderSender) => Promise<Answer<T>>,
): Promise<Answer<T>> {
  const sender = app.senders[PROVIDER];
  if (!sender) return { outcome: 'rejected', reason: 'no provider sends by itself' };
  try {
    const answer = await ask(sender);
    if (answer.outcome !== 'unknown') return answer;
    app.onFault?.(answer.cause, `what has arrived at ${PROVIDER}`);
    return AWAY;
  } catch (error) {
    if ((error as { code?: string }).code !== 'service.unavailable') throw error;
    return AWAY;
  }
}
