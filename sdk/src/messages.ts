/** Events and webhook messages as unions: a `switch` over `type` narrows the rest. */
import type { components } from './generated/backend.ts';

type Schemas = components['schemas'];
type EventType = Schemas['EventType'];

/** The object of an event, by the first word of its type. */
interface Subjects {
  readonly payment: Schemas['Transaction'];
  readonly deposit: Schemas['Transaction'];
  readonly refund: Schemas['Transaction'];
  readonly correction: Schemas['Transaction'];
  readonly debt: Schemas['Transaction'];
  readonly request: Schemas['MoneyRequest'];
  readonly kyc: Schemas['KycStatus'];
  readonly payout: Schemas['Payout'];
  readonly key: Schemas['AccountKey'];
  readonly passkey: Schemas['Passkeys'];
}

type SubjectOf<Type extends EventType> = Type extends `${infer Word}.${string}` ? Word : never;

type EventAbout<Word extends SubjectOf<EventType>> = Omit<
  Schemas['Event'],
  'type' | 'object' | 'transaction_id' | 'request_id' | 'payout_id' | 'key_id'
> & {
  readonly type: Extract<EventType, `${Word}.${string}`>;
  readonly object: Subjects[Word];
  readonly transaction_id: Subjects[Word] extends Schemas['Transaction'] ? string : null;
  readonly request_id: Word extends 'request' ? string : null;
} & (Word extends 'payout' ? { readonly payout_id: string } : unknown) &
  (Word extends 'key' ? { readonly key_id: string } : unknown);

/**
 * An event of the feed. `switch (event.type)` narrows `object` and the ids. The service can add types: ignore those that
 * you do not know.
 */
export type FlorinEvent = { [Word in SubjectOf<EventType>]: EventAbout<Word> }[SubjectOf<EventType>];

/**
 * The body of a webhook. `switch (message.type)` narrows `data`. The service can add types: ignore those that you do not
 * know.
 */
export type WebhookMessage =
  | Schemas['PaymentMessage']
  | Schemas['DepositMessage']
  | Schemas['RefundMessage']
  | Schemas['CorrectionMessage']
  | Schemas['DebtMessage']
  | Schemas['RequestMessage']
  | Schemas['KycMessage']
  | Schemas['PayoutMessage']
  | Schemas['KeyMessage']
  | Schemas['PasskeyMessage']
  | Schemas['TestMessage'];
