/**
 * `backend` is the Backend API. Each operation parses its call, calls one use case and renders the answer. It owns no
 * tables; `bin` serves it through `contract`. Keyed by the document's operation ids.
 */
import type { WebhookApp } from '../../custody/provider/openWebhook.ts';
import type { ServiceCallers } from '../../customers/keys/serviceKeys.ts';
import type { KycApp } from '../../customers/kyc/startKyc.ts';
import type { LoginApp } from '../../customers/login/login.ts';
import type { PasskeySite } from '../../customers/passkeys/verifyPasskey.ts';
import type { Callers } from '../../customers/sessions/openCallers.ts';
import type { UsernameRules } from '../../customers/usernames/setUsername.ts';
import type { Db } from '../../db/database.ts';
import type { Read } from '../../db/standbys/openReads.ts';
import type { Follower } from '../../events/openFollower.ts';
import type { PaymentWaits } from '../../events/openPaymentWaits.ts';
import type { Overviews } from '../../overview/openOverview.ts';
import type { Destinations } from '../../payments/destinations/openDestinations.ts';
import type { History } from '../../payments/read/openHistory.ts';
import type { Sends } from '../../payments/sends/openSends.ts';
import type { SendRules } from '../../payments/sends/sendCommand.ts';
import type { UserPayments } from '../../payments/users/openUserPayments.ts';
import type { NameQuota } from '../calls/createCallLimits.ts';
import { requireIdempotencyKey } from '../calls/requireIdempotencyKey.ts';
import type { HeldAnswers } from '../connections/limitHeldAnswers.ts';
import type { Operation } from '../contract/operation.ts';
import { listEventsOperation, streamEventsOperation } from '../events/feed.ts';
import { webhookOperations } from '../events/webhooks.ts';
import { hearSumsubOperation } from '../hooks/hearSumsub.ts';
import { providerWebhookOperations } from '../hooks/providerWebhooks.ts';
import { payoutOperations } from '../payouts/payouts.ts';
import { closeAccountOperation, exportAccountOperation } from './account.ts';
import type { Mode } from './authorize.ts';
import { cancelTransactionOperation } from './cancelTransaction.ts';
import { checkUsernameOperation } from './checkUsername.ts';
import { findAddressOperation } from './findAddress.ts';
import { findKeyedPaymentOperation } from './findKeyedPayment.ts';
import { getTransactionOperation } from './getTransaction.ts';
import { createAccountKeyOperation, listAccountKeysOperation, revokeAccountKeyOperation } from './keys/accountKeys.ts';
import { checkKycOperation, issueKycTokenOperation, readKycOperation, startKycOperation } from './kyc.ts';
import { latestTransactionsOperation } from './latestTransactions.ts';
import { readLimitsOperation } from './limits.ts';
import { loginOperation } from './login.ts';
import { changeMeOperation, listMyRecipientsOperation, readMeOperation, readMyOverviewOperation } from './me.ts';
import {
  askForMoneyOperation,
  endRequestOperation,
  getRequestOperation,
  listRequestsOperation,
  payRequestOperation,
} from './moneyRequests.ts';
import { passkeyOperations } from './passkeys/passkeys.ts';
import { previewOperation } from './preview.ts';
import { findPublicNameOperation, findPublicRequestOperation } from './publicPages.ts';
import { sendToAddressOperation } from './sendToAddress.ts';
import { sendUsdcOperation } from './sendUsdc.ts';
import {
  endAllSessionsOperation,
  listSessionsOperation,
  refreshSessionOperation,
  revokeSessionOperation,
} from './sessions.ts';
import { setUsernameOperation } from './setUsername.ts';

export interface BackendApp extends LoginApp, KycApp, WebhookApp {
  readonly db: Db;
  /** For calls that only read: may use a standby, but never returns older data. */
  readonly read: Read;
  readonly signer: LoginApp['signer'] & WebhookApp['signer'];
  readonly callers: Callers;
  readonly serviceCallers: ServiceCallers;
  readonly follower: Follower;
  readonly paymentWaits: PaymentWaits;
  readonly heldAnswers: HeldAnswers;
  /** For how many days events can be read; 0: without limit. */
  readonly eventsKeptDays: number;
  /** Calls that move money require an Idempotency-Key. */
  readonly requiresKeys: boolean;
  readonly mode: Mode;
  readonly usernames: UsernameRules;
  readonly names: NameQuota;
  readonly homeBlockchain: string;
  readonly userPayments: UserPayments;
  readonly history: History;
  readonly overviews: Overviews;
  readonly destinations: Destinations;
  readonly sends: Sends;
  readonly sendRules: SendRules;
  /** Where passkeys belong; undefined: the wallet is not served. */
  readonly passkeySite: PasskeySite | undefined;
}

export const backendOperations = (app: BackendApp): Record<string, Operation> => ({
  login: loginOperation(app),
  refresh_session: refreshSessionOperation(app),
  list_sessions: listSessionsOperation(app),
  revoke_session: revokeSessionOperation(app),
  end_all_sessions: endAllSessionsOperation(app),
  create_account_key: createAccountKeyOperation(app),
  list_account_keys: listAccountKeysOperation(app),
  revoke_account_key: revokeAccountKeyOperation(app),
  ...passkeyOperations(app),
  set_username: setUsernameOperation(app),
  start_kyc: startKycOperation(app),
  issue_kyc_token: issueKycTokenOperation(app),
  check_kyc: checkKycOperation(app),
  read_kyc: readKycOperation(app),
  hear_sumsub: hearSumsubOperation(app),
  ...providerWebhookOperations(app),
  read_limits: readLimitsOperation(app),
  send_usdc: app.requiresKeys ? requireIdempotencyKey(sendUsdcOperation(app)) : sendUsdcOperation(app),
  send_to_address: app.requiresKeys ? requireIdempotencyKey(sendToAddressOperation(app)) : sendToAddressOperation(app),
  preview_payment: previewOperation(app),
  get_transaction: getTransactionOperation(app),
  read_me: readMeOperation(app),
  change_me: changeMeOperation(app),
  find_keyed_payment: findKeyedPaymentOperation(app),
  find_address: findAddressOperation(app),
  find_public_name: findPublicNameOperation(app),
  find_public_request: findPublicRequestOperation(app),
  read_my_overview: readMyOverviewOperation(app),
  list_my_recipients: listMyRecipientsOperation(app),
  check_username: checkUsernameOperation(app),
  cancel_transaction: cancelTransactionOperation(app),
  latest_transactions_by_username: latestTransactionsOperation(app),
  ask_for_money: askForMoneyOperation(app),
  list_requests: listRequestsOperation(app),
  get_request: getRequestOperation(app),
  pay_request: payRequestOperation(app),
  decline_request: endRequestOperation(app, 'declined'),
  cancel_request: endRequestOperation(app, 'cancelled'),
  export_account: exportAccountOperation(app),
  close_account: closeAccountOperation(app),
  list_events: listEventsOperation(app),
  stream_events: streamEventsOperation(app),
  ...webhookOperations(app),
  ...payoutOperations(app),
});
