import { PayError } from '../../core/errors.ts';
import type { Operation } from '../contract/createApi.ts';

/** This service is not connected to any blockchain yet, so there is none that coins could be sent on. */
export const sendUsdcOperation: Operation = async (call) => {
  const { blockchain } = call.body as { blockchain: string };
  throw new PayError('blockchain.unsupported', { blockchain });
};
