import type { AccountCaller, AccountScope } from '../../../customers/keys/serviceKeys.ts';
import type { ApiCall } from '../../contract/operation.ts';

/**
 * The operations of each scope of account keys. A key needs one of the scopes of an operation; it can call nothing else:
 * creating keys, closing and renaming the account, identity checks and sessions need the person.
 */
const OPERATIONS: Readonly<Record<AccountScope, readonly string[]>> = {
  read: [
    'read_me',
    'read_my_overview',
    'list_my_recipients',
    'read_limits',
    'get_transaction',
    'latest_transactions_by_username',
    'list_requests',
    'get_request',
    'check_username',
    'list_events',
    'stream_events',
  ],
  request: ['ask_for_money', 'list_requests', 'get_request', 'decline_request', 'cancel_request'],
  pay: [
    'send_usdc',
    'send_to_address',
    'preview_payment',
    'pay_request',
    'get_transaction',
    'cancel_transaction',
    'check_username',
  ],
  payouts: [
    'create_payout',
    'list_payouts',
    'get_payout',
    'confirm_payout',
    'cancel_payout',
    'list_payout_items',
    'export_payout_items',
  ],
  webhooks: [
    'create_webhook',
    'list_webhooks',
    'get_webhook',
    'change_webhook',
    'remove_webhook',
    'rotate_webhook_secret',
    'list_webhook_deliveries',
    'replay_webhook_event',
    'replay_webhook_events',
    'test_webhook',
  ],
};

const byOperation = new Map<string, AccountScope[]>();
for (const [scope, operations] of Object.entries(OPERATIONS) as [AccountScope, readonly string[]][]) {
  for (const id of operations) byOperation.set(id, [...(byOperation.get(id) ?? []), scope]);
}

/** The scopes that allow an operation; undefined: no key may call it. */
export const scopesOf = (operationId: string): readonly AccountScope[] | undefined => byOperation.get(operationId);

export const isAccountCaller = (caller: unknown): caller is AccountCaller =>
  caller !== undefined && 'keyId' in (caller as object) && 'userId' in (caller as object);

/** The account key of a call that pays; undefined for a session. */
export const findPayingKey = ({ caller, address }: ApiCall) =>
  isAccountCaller(caller) ? { keyId: caller.keyId, client: address } : undefined;
