/** What the pages behind links show to anyone, logged in or not. */
import { PayError } from '../../core/errors.ts';
import { formatUsdc } from '../../core/money.ts';
import { findPublicName } from '../../customers/usernames/findPublicName.ts';
import type { Queryable } from '../../db/database.ts';
import { getPublicRequest } from '../../payments/requests/findRequest.ts';
import type { Operation } from '../contract/operation.ts';

interface App {
  readonly db: Queryable;
}

/** Answers alike whether no one has the name, its owner has left, or they do not let strangers find it. */
export const findPublicNameOperation =
  (app: App): Operation =>
  async (call) => {
    const username = await findPublicName(app.db, call.params.username!);
    if (username === undefined) throw new PayError('username.unknown');
    return { body: { username } };
  };

export const findPublicRequestOperation =
  (app: App): Operation =>
  async (call) => {
    const request = await getPublicRequest(app.db, call.params.request_id!);
    return {
      body: {
        request_id: request.requestId,
        state: request.state,
        asker_username: request.asker,
        amount: formatUsdc(request.amount),
        note: request.note,
        expires_at: request.expiresAt.toISOString(),
      },
    };
  };
