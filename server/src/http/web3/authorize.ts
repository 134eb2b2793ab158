import type { IncomingHttpHeaders } from 'node:http';
import { PayError } from '../../core/errors.ts';
import type { ServiceCaller, ServiceCallers } from '../../customers/keys/serviceKeys.ts';
import { type Mode, parseBearer } from '../backend/authorize.ts';
import { refuseOtherClients, refuseOtherScopes } from '../calls/authorizeKey.ts';

/** These operations need the scope `read`; all others need `send`. */
const READS: ReadonlySet<string> = new Set([
  'wallet_overview_subgraph_wallet_overview_get',
  'get_transaction_circle_transaction__transaction_id__get',
]);

/** The statement that accepts a send reads the key itself, so this call needs no lookup beforehand. */
const CONFIRMS_ITSELF = 'send_specific_amount_usdc_wallet_send_usdc_post';

/**
 * In the sandbox, the Web3 API needs no credential, as the interface says. In production it needs a service key. A key
 * that is sent is checked in both modes.
 */
export async function authorize(
  app: { readonly serviceCallers: ServiceCallers; readonly mode: Mode },
  call: {
    readonly headers: IncomingHttpHeaders;
    readonly operationId: string;
    readonly certificate: string | undefined;
    readonly address: string;
  },
): Promise<ServiceCaller | undefined> {
  const header = call.headers.authorization;
  if (header === undefined) {
    if (app.mode === 'production') throw new PayError('auth.required');
    return undefined;
  }
  const key = parseBearer(header);
  const { serviceCallers } = app;
  const isConfirmed = call.operationId !== CONFIRMS_ITSELF;
  const caller = await (isConfirmed ? serviceCallers.get(key) : serviceCallers.recall(key));
  if (isConfirmed) refuseOtherClients(caller, call);
  refuseOtherScopes(caller, READS.has(call.operationId) ? 'read' : 'send');
  return caller;
}
