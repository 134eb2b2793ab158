import { z } from 'zod';

/** The body of `POST /faults`. An omitted member keeps its value; null switches the fault off. */
export const faultsSchema = z.strictObject({
  /** Applies to the next `count` broadcasts that arrive over JSON-RPC. */
  broadcast: z
    .strictObject({
      /**
       * `drop`: answered as accepted, then lost. `delay`: accepted, enters the pool later. `refuse`: an error with
       * `message`. `lose_answer`: enters the pool, and the connection breaks before the answer.
       */
      kind: z.enum(['drop', 'delay', 'refuse', 'lose_answer']),
      count: z.int().min(1).max(1_000_000).default(1),
      delay_ms: z.int().min(0).max(600_000).default(3_000),
      message: z.string().min(1).max(300).default('replacement transaction underpriced'),
    })
    .nullable()
    .optional(),
  /** Applies to every answer over JSON-RPC. */
  rpc: z
    .strictObject({
      down: z.boolean().default(false),
      delay_ms: z.int().min(0).max(600_000).default(0),
      /** The chain appears this many blocks shorter than it is. */
      behind_blocks: z.int().min(0).max(10_000).default(0),
      /** Added to every `eth_getTransactionCount`. */
      nonce_offset: z.int().min(-1_000).max(1_000).default(0),
    })
    .nullable()
    .optional(),
  /** The base fee of every block from the next on, in wei. */
  base_fee_wei: z
    .string()
    .regex(/^\d{1,24}$/)
    .nullable()
    .optional(),
  /** `finalized` is this many blocks behind the head. */
  finality_blocks: z.int().min(1).max(10_000).nullable().optional(),
  /** The gas limit of every block from the next on. */
  block_gas_limit: z.int().min(1_000_000).max(1_000_000_000).nullable().optional(),
});

type Given = z.output<typeof faultsSchema>;
type RpcFault = NonNullable<Given['rpc']>;

export interface Faults {
  broadcast: NonNullable<Given['broadcast']> | null;
  rpc: RpcFault;
  base_fee_wei: string | null;
  finality_blocks: number | null;
  block_gas_limit: number | null;
}

export const noFaults = (): Faults => ({
  broadcast: null,
  rpc: { down: false, delay_ms: 0, behind_blocks: 0, nonce_offset: 0 },
  base_fee_wei: null,
  finality_blocks: null,
  block_gas_limit: null,
});

export function setFaults(faults: Faults, given: Given): void {
  if (given.broadcast !== undefined) faults.broadcast = given.broadcast;
  if (given.rpc !== undefined) faults.rpc = given.rpc ?? noFaults().rpc;
  if (given.base_fee_wei !== undefined) faults.base_fee_wei = given.base_fee_wei;
  if (given.finality_blocks !== undefined) faults.finality_blocks = given.finality_blocks;
  if (given.block_gas_limit !== undefined) faults.block_gas_limit = given.block_gas_limit;
}

/** Returns the fault to inject into this broadcast and uses up one of its counts; undefined if there is none. */
export function takeBroadcastFault(faults: Faults): Faults['broadcast'] | undefined {
  const fault = faults.broadcast;
  if (!fault) return undefined;
  faults.broadcast = fault.count > 1 ? { ...fault, count: fault.count - 1 } : null;
  return fault;
}
