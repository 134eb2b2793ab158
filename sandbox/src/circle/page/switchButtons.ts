import type { SwitchChange, Switches } from '../switches.ts';

/** A switch of the page: some settings of `switches.ts` under one name. */
interface SwitchButton {
  readonly name: string;
  readonly label: string;
  readonly says: string;
  readonly on: SwitchChange;
  readonly off: SwitchChange;
  isOn(switches: Switches): boolean;
}

type Kind = NonNullable<Switches['answers']>['kind'];
const answers = (name: string, kind: Kind, label: string, says: string, only?: string): SwitchButton => ({
  name,
  label,
  says,
  on: { answers: { kind, ...(only && { only }) } },
  off: { answers: null },
  isOn: (switches) => switches.answers?.kind === kind,
});

const fate = (state: 'STUCK' | 'DENIED' | 'FAILED', label: string, says: string, reason = ''): SwitchButton => ({
  name: reason || state,
  label,
  says,
  on: { fate: { state, ...(reason && { reason }) } },
  off: { fate: null },
  isOn: ({ fate: now }) => now?.state === state && (reason === '' || now.reason === reason),
});

type Webhooks = Switches['webhooks'];
const webhooks = (name: string, label: string, says: string, change: Partial<Webhooks>): SwitchButton => ({
  name,
  label,
  says,
  on: { webhooks: change },
  off: { webhooks: null },
  isOn: (switches) =>
    Object.entries(change).every(([key, value]) => switches.webhooks[key as keyof Webhooks] === value),
});

/** Only one switch of a group is on at a time. */
export const GROUPS: readonly (readonly [title: string, buttons: readonly SwitchButton[]])[] = [
  [
    'Answers',
    [
      answers('silent', 'silent_after', 'Silent', 'Requests are carried out but never answered', 'POST'),
      answers('cut', 'cut_after', 'Cut off', 'Requests are carried out; the connection breaks', 'POST'),
      answers('error_after', 'error_after', 'Done, but 500', 'Requests are carried out and answered 500', 'POST'),
      answers('error', 'error', 'Down', 'Answers 500 to every request'),
      answers('busy', 'busy', 'Too many requests', 'Answers 429 to every request'),
    ],
  ],
  [
    'New transactions',
    [
      fate('STUCK', 'Stuck', 'Sent with a fee that is too low; accelerate or cancel it'),
      fate('DENIED', 'Denied', 'Refused by the screening'),
      fate('FAILED', 'Estimation fails', 'FAILED, ESTIMATION_ERROR', 'ESTIMATION_ERROR'),
      fate('FAILED', 'No gas', 'FAILED, INSUFFICIENT_NATIVE_TOKEN', 'INSUFFICIENT_NATIVE_TOKEN'),
      fate('FAILED', 'Too few coins', 'FAILED, INSUFFICIENT_TOKEN', 'INSUFFICIENT_TOKEN'),
    ],
  ],
  [
    'Webhooks',
    [
      webhooks('late', 'Late', 'Ten seconds after the state', { late_ms: 10_000 }),
      webhooks('twice', 'Twice', 'Every notification arrives two times', { twice: true }),
      webhooks('disorder', 'Out of order', 'Last first, when the transaction has ended', { disorder: true }),
      webhooks('never', 'Never', 'Notifications are lost on the way', { never: true }),
    ],
  ],
  [
    'Rules',
    [
      {
        name: 'unlimited',
        label: 'No rate limits',
        says: 'More than Circle allows per second',
        on: { limits: false },
        off: { limits: true },
        isOn: ({ limits }) => !limits,
      },
      {
        name: 'fail_later',
        label: 'Underfunded later',
        says: 'A transfer above the balance is accepted and fails later',
        on: { underfunded: 'fail_later' },
        off: { underfunded: 'refuse' },
        isOn: ({ underfunded }) => underfunded === 'fail_later',
      },
      {
        name: 'hold',
        label: 'Hold in the queue',
        says: 'Transactions stay QUEUED',
        on: { hold: 'QUEUED' },
        off: { hold: null },
        isOn: ({ hold }) => hold === 'QUEUED',
      },
    ],
  ],
];

export const findButton = (name: string): SwitchButton | undefined =>
  GROUPS.flatMap(([, buttons]) => buttons).find((button) => button.name === name);
