/**
 * The network between one server and the nodes of a cluster. Any part of it can be cut: then nothing answers any more.
 */
import { connect, createServer, type Socket } from 'node:net';
import { listen } from '../http/listen.ts';
import type { Node } from './startCluster.ts';

export interface Wires {
  /** The same URL, through the proxy. */
  withAllHosts(url: string): string;
  /** Data sent from now on arrives when the returned function restores the wire. Connections stay open, and silent. */
  cut(node: Node): () => void;
  close(): void;
}

interface Wire {
  readonly node: Node;
  readonly port: number;
  isCut: boolean;
  /** The two ends of every connection; the far one is missing when it was opened while the wire was cut. */
  readonly pairs: Set<{ readonly near: Socket; far?: Socket }>;
}

export async function openWires(nodes: readonly Node[]): Promise<Wires> {
  const servers: ReturnType<typeof createServer>[] = [];
  const wires: Wire[] = [];
  for (const node of nodes) {
    const pairs: Wire['pairs'] = new Set();
    const server = createServer((near) => {
      const pair = { near };
      pairs.add(pair);
      near.on('error', () => {}).on('close', () => !wire.isCut && drop(wire, pair));
      if (!wire.isCut) pass(wire, pair);
    });
    servers.push(server);
    const wire: Wire = { node, port: await listen(server), isCut: false, pairs };
    wires.push(wire);
  }
  return {
    withAllHosts(url) {
      const { host } = new URL(url);
      return url.replace(host, wires.map(({ port }) => `127.0.0.1:${port}`).join(','));
    },
    cut(node) {
      const wire = wires.find((one) => one.node === node)!;
      wire.isCut = true;
      for (const { near, far } of wire.pairs) {
        near.unpipe().pause();
        far?.unpipe().pause();
      }
      return () => {
        wire.isCut = false;
        for (const pair of wire.pairs) pass(wire, pair);
      };
    },
    close() {
      for (const server of servers) server.close();
      for (const wire of wires) for (const pair of wire.pairs) drop(wire, pair);
    },
  };
}

function pass(wire: Wire, pair: { readonly near: Socket; far?: Socket }): void {
  const { near } = pair;
  const far = pair.far ?? connect(wire.node.port, '127.0.0.1');
  if (!pair.far) far.on('error', () => {}).on('close', () => !wire.isCut && drop(wire, pair));
  pair.far = far;
  if (near.destroyed || far.destroyed) drop(wire, pair);
  else near.pipe(far).pipe(near);
}

function drop(wire: Wire, pair: { readonly near: Socket; far?: Socket }): void {
  wire.pairs.delete(pair);
  pair.near.destroy();
  pair.far?.destroy();
}
