/** Faults of a cluster, and of the network in front of it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Wires } from './openWires.ts';
import { type Cluster, until } from './startCluster.ts';

export interface Fault {
  readonly name: string;
  /** `wires` belong to one of the two servers. */
  run(cluster: Cluster, wires: Wires): Promise<void>;
}

const KILL_NODE: Fault = {
  name: 'kill -9 of the primary and its Patroni',
  async run(cluster) {
    const node = await cluster.findPrimary();
    node.kill('node');
    await until('another primary', async () => (await cluster.findPrimary()) !== node);
    node.start();
  },
};

/** Standbys that confirm nothing may lag a little, as over a slow network. */
export const KILL_BEHIND: Fault = {
  name: 'kill -9 of a primary whose standbys lag by a second',
  async run(cluster, wires) {
    (await cluster.findPrimary()).freeze('senders');
    await sleep(1_000);
    await KILL_NODE.run(cluster, wires);
  },
};

export const FAULTS: readonly Fault[] = [
  { name: 'switchover', run: (cluster) => cluster.switchOver() },
  {
    name: 'kill -9 of PostgreSQL of the primary',
    run: async (cluster) => (await cluster.findPrimary()).kill('postgres'),
  },
  KILL_NODE,
  {
    name: 'the whole node of the primary frozen for 38 s',
    async run(cluster) {
      const thaw = (await cluster.findPrimary()).freeze('node');
      await sleep(38_000);
      thaw();
    },
  },
  {
    name: 'all of etcd killed for 35 s',
    async run(cluster) {
      await cluster.stopEtcd();
      await sleep(35_000);
      cluster.startEtcd();
    },
  },
  {
    name: 'both standbys frozen for 25 s',
    async run(cluster) {
      const primary = await cluster.findPrimary();
      const thaws = cluster.nodes.filter((node) => node !== primary).map((node) => node.freeze('postgres'));
      await sleep(25_000);
      for (const thaw of thaws) thaw();
    },
  },
  {
    name: 'one server cut off from the primary for 20 s',
    async run(cluster, wires) {
      const restore = wires.cut(await cluster.findPrimary());
      await sleep(20_000);
      restore();
    },
  },
  {
    // With Patroni 3.0.2, which Debian 12 has, this leaves two primaries. That is the reason for the minimum version.
    name: 'only PostgreSQL of the primary frozen for 38 s',
    async run(cluster) {
      const thaw = (await cluster.findPrimary()).freeze('postgres');
      await sleep(38_000);
      thaw();
    },
  },
];
