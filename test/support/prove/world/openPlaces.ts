/** Everything outside Florin: the chain, the nodes in front of it, and Circle. */
import { openLocalChain } from '../../../../sandbox/src/chain/openLocalChain.ts';
import { serveLocalChain } from '../../../../sandbox/src/chain/serveLocalChain.ts';
import type { SendingCircle } from '../../chain/custody.ts';
import { serveLiar } from '../../chain/serveLiar.ts';
import { PLACE, type ServedTestChain } from '../../chain/serveTestChain.ts';
import { setUp } from '../../circle/sendingWorld.ts';
import { HOME } from '../../values.ts';
import type { Setting } from './setting.ts';

export type Places = Awaited<ReturnType<typeof openPlaces>>;

export async function openPlaces(setting: Setting) {
  const local = await openLocalChain({ place: PLACE, mining: 'demand' });
  // Each node has its own faults. Circle and people always see the first one, which has none.
  const [truth, ...nodes] = await Promise.all(
    Array.from({ length: setting.nodes + 1 }, () => serveLocalChain(local, HOME)),
  );
  // Two others outvote it.
  const liar = setting.nodes > 2 ? await serveLiar(nodes[0]!.url) : undefined;
  const turn = async (url: string, path: string, body: unknown, method = 'POST'): Promise<Record<string, string>> => {
    const answer = await fetch(url + path, { method, ...(body !== undefined && { body: JSON.stringify(body) }) });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return (await answer.json()) as Record<string, string>;
  };
  const config = {
    blockchain: HOME,
    chainId: PLACE.chainId,
    tokens: [{ symbol: 'USDC', decimals: 6, contract: PLACE.usdc }],
    finality: setting.finality,
    rpcUrls: nodes.map(({ url }, node) => (node === 0 && liar ? liar.url : url)),
    timeoutMs: 20_000,
  };
  const home = setUp(setting.wallets);
  const served = { local, url: truth!.url, config } as unknown as ServedTestChain;
  const circle = await home.options.openCircle?.(served);
  const sending: SendingCircle | undefined = await home.options.openSender?.(served);
  const clear = () => Promise.all(nodes.map(({ url }) => turn(url, '/faults', undefined, 'DELETE')));
  return {
    local,
    config,
    truth: { ...config, rpcUrls: [truth!.url], finality: { kind: 'tag' } as const },
    circle,
    sending,
    double: home.double(),
    nodes: nodes.length,
    liar,
    /** Mints, or whatever else the chain's owner can do; the answer names hashes. */
    turn: (path: string, body: unknown) => turn(truth!.url, path, body),
    /** Sets the faults of one node. */
    turnNode: (node: number, faults: unknown) => turn(nodes[node]!.url, '/faults', faults),
    /** Ends all faults of nodes and of Circle. */
    async heal() {
      await clear();
      if (liar) liar.lie = undefined;
      local.setBaseFee(undefined);
      home.double()?.control.reset();
    },
    async mine(blocks = 1, advanceSeconds = 1) {
      await home.options.onMine?.();
      await local.mine({ count: blocks, advanceSeconds });
    },
    async close() {
      await home.options.onStop?.();
      liar?.close();
      await Promise.all([truth, ...nodes].map((one) => one!.close()));
      await local.close();
    },
  };
}
