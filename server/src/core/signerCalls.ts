/** How the processes speak to the signer: one JSON call per method of the port `Signer`, and who may use which. */
export const SIGNER_CALLS = {
  check: ['server', 'worker'],
  makeWallet: ['server', 'worker'],
  findRelayer: ['worker'],
  signAuthorizations: ['worker'],
  signCancellations: ['worker'],
  signCarrier: ['worker'],
} as const satisfies Record<string, readonly SignerCaller[]>;

/** Each has a token of its own. */
export type SignerCaller = 'server' | 'worker';

export const MAX_IDS_PER_CALL = 200;
/** Requests and answers: some hundred ids, or the bytes of a full carrier. */
export const MAX_CALL_BYTES = 1_048_576;
