/** The process of the local chains. Its only argument is the request of `startChains`, as JSON. */
import { openLocalChain } from './openLocalChain.ts';
import { serveLocalChain } from './serveLocalChain.ts';
import type { ChainsRequest } from './startChains.ts';

const request = JSON.parse(process.argv[2] ?? '') as ChainsRequest;

// The parent is gone, perhaps by kill -9: free the ports and the journals for the next start.
process.on('disconnect', () => process.exit(0));

try {
  const running = await Promise.all(
    request.chains.map(async ({ label, place, journalFile, port }) => {
      const chain = await openLocalChain({ place, mining: request.mining, ...(journalFile && { journalFile }) });
      return { chain, label, served: await serveLocalChain(chain, label, port) };
    }),
  );
  const stop = async () => {
    await Promise.all(running.map(({ served }) => served.close()));
    await Promise.all(running.map(({ chain }) => chain.close()));
    process.exit(0);
  };
  process.on('message', (message) => {
    if (message === 'stop') void stop();
  });
  // A terminal or a service manager signals every process of the group; the parent decides when we stop.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (!process.connected) void stop();
    });
  }
  process.send?.({ type: 'ready', urls: running.map(({ served }) => served.url) });
} catch (error) {
  process.send?.({ type: 'failed', message: (error as Error).message });
  process.exit(1);
}
