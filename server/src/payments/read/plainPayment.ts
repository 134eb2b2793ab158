/** A payment between people or a deposit. There is nothing more to know about it than its transfer says. */
export interface PlainPayment {
  readonly paymentId: string;
  readonly kind: 'user' | 'deposit';
  readonly amount: bigint;
  readonly blockchain: string;
  /** Who paid: a person's name today, or null without one; of a deposit, the address it came from. */
  readonly from: string | null;
  /** Who got it: their name today. */
  readonly to: string | null;
  /** The name that was typed, where it was another one. */
  readonly typed: string | undefined;
  /** Of a deposit that the watcher has seen on the chain. */
  readonly txHash: string | null;
  readonly atMs: number;
  /** What the person whose history it is could spend after it. */
  readonly availableAfter: bigint;
}

/** A payment on a page, as `history_pages` printed it. */
export interface Line {
  readonly entry: bigint;
  readonly seq: bigint;
  readonly paymentId: string;
  /** All members, until `payment` is known. */
  members: readonly string[];
  readonly blockchain: string;
  /** What it says with today's names. It never changes while names do not. */
  payment?: PlainPayment;
}

/** Places in a line of `history_pages`. */
const [ID, KIND, AMOUNT, AT, DEBIT, CREDIT, TYPED, ADDRESS, AVAILABLE, HASH] = [
  2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
] as const;

export function toLine(text: string, blockchain: string): Line {
  const members = text.split('\t');
  return { entry: BigInt(members[0]!), seq: BigInt(members[1]!), paymentId: members[ID]!, members, blockchain };
}

export function toPlain(line: Line, findName: (accountId: string) => string | null | undefined): PlainPayment {
  const { members, paymentId, blockchain } = line;
  const to = findName(members[CREDIT]!) ?? null;
  const typed = members[TYPED]!;
  const kind = members[KIND] as PlainPayment['kind'];
  return {
    paymentId,
    kind,
    amount: BigInt(members[AMOUNT]!),
    blockchain,
    from: kind === 'deposit' ? members[ADDRESS]! || null : (findName(members[DEBIT]!) ?? null),
    to,
    typed: typed === '' || typed === to ? undefined : typed,
    txHash: members[HASH] ?? null,
    atMs: Number.parseInt(members[AT]!, 10),
    availableAfter: availableAfter(line),
  };
}

/** While the line has its members. */
export const availableAfter = ({ members }: Line): bigint => BigInt(members[AVAILABLE]!);

/** A payment to an address, which changes until it is final. */
export const isSend = ({ members }: Line): boolean => members[KIND] === 'hold';

/** The accounts whose owners are named. */
export function listParties(line: Line): string[] {
  const { members } = line;
  if (isSend(line)) return [];
  return members[KIND] === 'deposit' ? [members[CREDIT]!] : [members[DEBIT]!, members[CREDIT]!];
}
