import { parseArgs } from 'node:util';
import { PayError } from '../../core/errors.ts';
import { formatUsdc, parseUsdc } from '../../core/money.ts';
import { giveTier, listKycTierChanges } from '../../customers/kyc/kycTiers.ts';
import { changeTier, listTierChanges, listTiers, type TierLimits } from '../../customers/limits/tiers.ts';
import type { Db } from '../../db/database.ts';
import { type Command, CommandFault, parseReason, refuseUnlessAllowed, renderTable } from './runCommand.ts';

export const LIMITS_HELP = `How much people may spend, by tier. A person's tier follows from the status of their identity check.

  npm run limits -- show
  npm run limits -- set --tier verified --payment 5000 --day 20000 --month 90000 --count 500 --why "new policy"
  npm run limits -- give --kyc approved --tier verified --why "new policy"
  npm run limits -- history

Amounts are USDC; --day is 24 hours, --month 30 days, --count payments in 24 hours; "none" is no limit. --payment 0
stops people of that tier from paying at all. \`give\` sets the tier of everyone whose identity check has that status.
A change counts from the next payment on, in every process.
`;

export const manageLimits: Command = async (db, args) => {
  const { command, values } = parseCommand(args);
  if (command === 'show') {
    const rows = (await listTiers(db)).map((tier) => [
      tier.name,
      ...renderLimits(tier),
      tier.kycStatuses.join(' ') || '-',
    ]);
    return renderTable([['tier', 'payment', '24 hours', '30 days', 'payments in 24 h', 'identity check'], ...rows]);
  }
  if (command === 'history') return renderHistory(db);
  if (command === 'give') return give(db, values);
  const { tier: name } = values;
  if (!name) throw new CommandFault('set needs --tier, as `show` names it');
  const limits = parseLimits(values);
  const reason = parseReason(values.why);
  const actor = await refuseUnlessAllowed(db, 'limits');
  const changed = await db.tx((tx) => changeTier(tx, { name, limits, actor, reason }));
  if (!changed) throw new CommandFault(`there is no tier "${name}"`);
  return `Changed ${name}.\n`;
};

async function give(db: Db, { kyc: kycStatus, tier, why }: Given): Promise<string> {
  if (!kycStatus || !tier) throw new CommandFault('give needs --kyc and --tier, as `show` names them');
  const reason = parseReason(why);
  const actor = await refuseUnlessAllowed(db, 'limits');
  const done = await db.tx((tx) => giveTier(tx, { kycStatus, tier, actor, reason }));
  if (done === 'unknown tier') throw new CommandFault(`there is no tier "${tier}"`);
  if (done === 'unknown status') throw new CommandFault(`there is no status "${kycStatus}" of the identity check`);
  return `People with the status ${kycStatus} now have the limits of ${tier}.\n`;
}

async function renderHistory(db: Db): Promise<string> {
  const tiers = (await listTierChanges(db)).map(({ name, before, after, ...change }) => ({
    ...change,
    what: name,
    before: before ? renderLimits(before).join(' / ') : '-',
    after: renderLimits(after).join(' / '),
  }));
  const given = (await listKycTierChanges(db)).map(({ kycStatus, before, after, ...change }) => ({
    ...change,
    what: `status ${kycStatus}`,
    before: before ?? '-',
    after,
  }));
  const rows = [...tiers, ...given]
    .toSorted((one, other) => other.changedAt.getTime() - one.changedAt.getTime())
    .map(({ changedAt, changedBy, what, before, after, reason }) => [
      changedAt.toISOString(),
      changedBy,
      what,
      before,
      after,
      reason ?? '-',
    ]);
  return renderTable([['when', 'who', 'what', 'before', 'after', 'why'], ...rows]);
}

type Option = 'kyc' | 'tier' | 'payment' | 'day' | 'month' | 'count' | 'why';
type Given = Partial<Record<Option, string>>;

function parseCommand(args: readonly string[]) {
  const option = { type: 'string' } as const;
  const options = {
    kyc: option,
    tier: option,
    payment: option,
    day: option,
    month: option,
    count: option,
    why: option,
  };
  let parsed: { values: Given; positionals: string[] };
  try {
    parsed = parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new CommandFault((error as Error).message);
  }
  const command = parsed.positionals.join(' ');
  if (!['show', 'set', 'give', 'history'].includes(command)) {
    throw new CommandFault(`there is no command "${command}"\n\n${LIMITS_HELP}`);
  }
  return { command, values: parsed.values };
}

function parseLimits(values: Given): Partial<TierLimits> {
  const limits: { -readonly [Limit in keyof TierLimits]?: TierLimits[Limit] } = {};
  for (const name of ['payment', 'day', 'month'] as const) {
    const text = values[name];
    if (text !== undefined) limits[name] = text === 'none' ? null : parseAmount(name, text);
  }
  const { count } = values;
  if (count !== undefined) {
    if (count !== 'none' && !/^\d{1,9}$/.test(count)) throw new CommandFault('--count is a whole number or "none"');
    limits.count = count === 'none' ? null : Number.parseInt(count, 10);
  }
  if (Object.keys(limits).length === 0) {
    throw new CommandFault('set needs at least one of --payment, --day, --month and --count');
  }
  return limits;
}

function parseAmount(name: string, text: string): bigint {
  if (!/^\d+(\.\d+)?$/.test(text)) throw new CommandFault(`--${name} is an amount of USDC or "none"`);
  try {
    return parseUsdc(text);
  } catch (error) {
    if (error instanceof PayError) throw new CommandFault(`--${name} is not an amount that can be paid`);
    throw error;
  }
}

const renderLimits = ({ payment, day, month, count }: TierLimits): string[] => [
  ...[payment, day, month].map((amount) => (amount === null ? 'none' : formatUsdc(amount))),
  count === null ? 'none' : String(count),
];
