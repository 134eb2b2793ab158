import { PayError } from '../../../../../server/src/core/errors.ts';
import type { Answer } from '../../model/calls.ts';

/** The answer that a caller gets. The model allows no errors except refusals. */
export const toAnswer = (work: Promise<Answer>): Promise<Answer> =>
  work.catch((error: Error & { code?: string }) =>
    error instanceof PayError ? error.code : `error ${error.code ?? ''}: ${error.message}`,
  );
