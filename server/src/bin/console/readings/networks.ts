import { z } from 'zod';
import { listNetworks } from '../../../custody/listNetworks.ts';
import type { Queryable } from '../../../db/database.ts';
import type { Reading } from '../../../http/console/reading.ts';
import relayerNoun from '../../cli/relayer.ts';
import { network, relayer } from '../answers.ts';
import { readCommand } from '../command.ts';

export const readNetworks = async (db: Queryable) =>
  (await listNetworks(db)).map(({ blockchain, family, block, movedAt, fault, nodes }) => ({
    blockchain,
    read_by: family === 'evm' ? 'nodes' : 'provider',
    block: block === null ? null : String(block),
    moved_at: movedAt,
    fault,
    nodes: nodes.map(({ host, kind, about, times, since }) => ({ host, kind, about, times, since })),
  }));

export const networks: Reading = {
  path: '/api/networks',
  about: 'florin relayer list, and what florin doctor finds about the nodes',
  query: [],
  answer: z.strictObject({ networks: z.array(network), relayers: z.array(relayer) }),
  run: async ({ db }) => ({
    networks: await readNetworks(db),
    relayers: await readCommand(relayerNoun.verbs.list, db),
  }),
};
