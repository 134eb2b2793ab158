import { parseArgs } from 'node:util';
import { formatUsdc } from '../../core/money.ts';
import type { Db } from '../../db/database.ts';
import { type AuditActor, nameOf } from '../../operators/recordAudit.ts';
import { approvePayment, listWaiting } from '../../payments/sends/approvePayment.ts';
import { denyPayment } from '../../payments/sends/denyPayment.ts';
import { type Command, CommandFault, parseReason, refuseUnlessAllowed, renderTable } from './runCommand.ts';

export const APPROVALS_HELP = `Sends of FLORIN_APPROVAL_THRESHOLD or more wait until two different people have approved them.

  npm run approve -- list                       what waits, and who has approved it
  npm run approve -- <transaction id>           approves it, under your database login
  npm run approve -- deny <transaction id> --why "the customer did not ask for it"

Only operators with the role admin or risk can approve or deny (npm run operators). One denial is enough: the payment
becomes DENIED and its money is free again at once. The customer sees the reason, but not who denied it.
`;

export const manageApprovals: Command = async (db, args) => {
  const { command, paymentId, why } = parseCommand(args);
  if (command === 'list') return list(db);
  const reason = command === 'deny' ? parseReason(why) : undefined;
  const actor = await refuseUnlessAllowed(db, 'approve');
  return reason === undefined ? approve(db, paymentId, actor) : deny(db, paymentId, reason, actor);
};

async function list(db: Db): Promise<string> {
  const waiting = await listWaiting(db);
  if (waiting.length === 0) return 'Nothing waits for approval.\n';
  const rows = waiting.map((one) => [
    one.paymentId,
    one.createdAt.toISOString(),
    `${formatUsdc(one.amount)} USDC`,
    one.blockchain,
    one.walletId,
    one.destination,
    `${one.approvedBy.length} of ${one.needed}${one.approvedBy.length > 0 ? ` (${one.approvedBy.join(', ')})` : ''}`,
  ]);
  return renderTable([
    ['transaction', 'since', 'amount', 'blockchain', 'from wallet', 'to address', 'approved'],
    ...rows,
  ]);
}

async function approve(db: Db, paymentId: string, actor: AuditActor): Promise<string> {
  const name = nameOf(actor);
  const approval = await approvePayment({ db }, paymentId);
  switch (approval.outcome) {
    case 'approved':
      return `Approved: ${approval.approvals} of ${approval.needed}.\n`;
    case 'twice':
      throw new CommandFault(`${name} has approved it before; the second approval must be another person's`);
    case 'not_waiting':
      throw new CommandFault(`${paymentId} waits for no approval`);
    case 'nobody':
      throw new CommandFault(`${name} is not a named operator who may approve: see npm run operators`);
  }
}

async function deny(db: Db, paymentId: string, reason: string, actor: AuditActor): Promise<string> {
  const denial = await db.tx((tx) => denyPayment(tx, paymentId, reason, actor));
  if (denial === 'denied') return 'Denied; its money is free again.\n';
  if (denial === 'not_waiting') throw new CommandFault(`${paymentId} waits for no approval`);
  throw new CommandFault(`${paymentId} is signed already; cancel it: npm run operate -- cancel ${paymentId}`);
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function parseCommand(args: readonly string[]) {
  let parsed: { values: { why?: string }; positionals: string[] };
  try {
    const options = { why: { type: 'string' } } as const;
    parsed = parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new CommandFault((error as Error).message);
  }
  const { values, positionals } = parsed;
  const [first = '', second = '', ...rest] = positionals.map((word) => word.toLowerCase());
  const why = values.why;
  if (first === 'list' && second === '') return { command: 'list', paymentId: '', why } as const;
  const isDenial = first === 'deny';
  const paymentId = isDenial ? second : first;
  const hasMore = rest.length > 0 || (!isDenial && second !== '');
  if (hasMore || !UUID.test(paymentId)) {
    throw new CommandFault(`"${positionals.join(' ')}" names no transaction\n\n${APPROVALS_HELP}`);
  }
  return { command: isDenial ? 'deny' : 'approve', paymentId, why } as const;
}
