import { PayError } from '../../../../../server/src/core/errors.ts';
import type { Answer } from '../../model/calls.ts';

/** What a caller sees of an operation. An error that is no refusal is an answer that no model allows. */
export const toAnswer = (work: Promise<Answer>): Promise<Answer> =>
  work.catch((error: Error & { code?: string }) =>
    error instanceof PayError ? error.code : `error ${error.code ?? ''}: ${error.message}`,
  );
