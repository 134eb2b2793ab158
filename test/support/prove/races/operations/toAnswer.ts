import { PayError } from '../../../../../server/src/core/errors.ts';
import type { Answer } from '../../model/calls.ts';

/** What a caller sees of an operation. The model allows no error that is not a refusal. */
export const toAnswer = (work: Promise<Answer>): Promise<Answer> =>
  work.catch((error: Error & { code?: string }) =>
    error instanceof PayError ? error.code : `error ${error.code ?? ''}: ${error.message}`,
  );
