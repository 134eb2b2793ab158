import type { ProviderAnswer } from '../../core/ports.ts';
import type { Arrival, ArrivalPage, Balance } from '../../core/providerSays.ts';
import type { ProviderSender } from '../../core/providers.ts';
import type { SigningApp } from './signingApp.ts';

type Answer<T> = ProviderAnswer<T, string>;

const AWAY = { outcome: 'unknown', cause: 'the provider of the wallets does not answer' } as const;

/** Reads arrivals on an unwatched chain. The signer makes these requests, because only it has the provider's keys. */
export const listArrivals = (
  app: SigningApp,
  blockchain: string,
  since: string,
  after: string | undefined,
): Promise<Answer<ArrivalPage>> =>
  askSender(app, blockchain, (sender) => sender.listArrivals(blockchain, since, after));

export const findArrival = (app: SigningApp, blockchain: string, providerId: string): Promise<Answer<Arrival>> =>
  askSender(app, blockchain, (sender) => sender.findArrival(blockchain, providerId));

/** Reads the balance of one of our wallets. The wallet's reference at the provider is read from the database. */
export async function readBalance(
  app: SigningApp,
  blockchain: string,
  currency: string,
  walletId: string,
): Promise<Answer<Balance>> {
  const [wallet] = await app.db.query<{ reference: string; contract: string }>(
    `SELECT w.reference, s.contract FROM wallets w JOIN networks n USING (family) JOIN assets s USING (network_id)
      WHERE w.wallet_id = $1 AND w.provider = $2 AND n.blockchain = $3 AND s.symbol = $4 AND s.contract IS NOT NULL`,
    [walletId, providerOf(app, blockchain) ?? null, blockchain, currency],
  );
  if (!wallet) return { outcome: 'rejected', reason: 'the provider has no such wallet there' };
  const { reference, contract: token } = wallet;
  return askSender(app, blockchain, (sender) => sender.readBalance({ blockchain, reference, token }));
}

/** From the signer's configuration, never from the database. */
const providerOf = (app: SigningApp, blockchain: string): string | undefined =>
  app.networks.find((network) => network.blockchain === blockchain)?.provider;

async function askSender<T extends object>(
  app: SigningApp,
  blockchain: string,
  ask: (sender: ProviderSender) => Promise<Answer<T>>,
): Promise<Answer<T>> {
  const provider = providerOf(app, blockchain);
  const sender = provider === undefined ? undefined : app.senders[provider];
  if (!sender) return { outcome: 'rejected', reason: 'no provider sends by itself' };
  try {
    const answer = await ask(sender);
    if (answer.outcome !== 'unknown') return answer;
    app.onFault?.(answer.cause, `what has arrived at ${provider}`);
    return AWAY;
  } catch (error) {
    if ((error as { code?: string }).code !== 'service.unavailable') throw error;
    return AWAY;
  }
}
