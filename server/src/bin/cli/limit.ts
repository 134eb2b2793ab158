import { PayError } from '../../core/errors.ts';
import { formatUsdc, parseUsdc } from '../../core/money.ts';
import { giveTier, listKycTierChanges } from '../../customers/kyc/kycTiers.ts';
import { changeTier, listTierChanges, listTiers, type TierLimits } from '../../customers/limits/tiers.ts';
import type { Queryable } from '../../db/database.ts';
import { type Given, type Noun, verb } from '../program/command.ts';
import { misused, unknown } from '../program/faults.ts';
import { refuseOutdated } from '../program/plan.ts';
import { parseReason, WHY } from '../program/reason.ts';
import { renderTable, renderTime } from '../program/render.ts';
import { suggest } from '../program/suggest.ts';

const AMOUNTS = {
  payment: { type: 'string', value: 'USDC', summary: 'per payment; 0 stops people of that tier from paying' },
  day: { type: 'string', value: 'USDC', summary: 'per 24 hours' },
  month: { type: 'string', value: 'USDC', summary: 'per 30 days' },
  count: { type: 'string', value: 'NUMBER', summary: 'payments per 24 hours' },
} as const;

const list = verb({
  summary: 'Shows the tiers, and which identity check status gives which tier',
  reads: true,
  async run({ db }) {
    const tiers = await listTiers(db);
    const rows = tiers.map((tier) => [tier.name, ...renderLimits(tier), tier.kycStatuses.join(' ') || '-']);
    const heading = ['tier', 'payment', '24 hours', '30 days', 'payments in 24 h', 'identity check'];
    const json = tiers.map((tier) => ({ tier: tier.name, ...toJson(tier), identity_check: tier.kycStatuses }));
    return { text: renderTable([heading, ...rows]), json };
  },
});

const set = verb({
  summary: 'Changes the limits of a tier, from the next payment on',
  about: 'Options that are not given stay unchanged; "none" means no limit.',
  words: ['TIER'],
  options: { ...AMOUNTS, why: WHY },
  examples: ['limit set verified --payment 5000 --day 20000 --month 90000 --count 500 --why "new policy"'],
  async plan({ db, allow }, { words: [name = ''], options }) {
    const limits = parseLimits(options);
    const reason = parseReason(options.why);
    const actor = await allow('limits');
    const tier = await getTier(db, name);
    const people =
      tier.kycStatuses.length > 0 ? `people with the identity check ${tier.kycStatuses.join(', ')}` : 'no one';
    return {
      title: `Change the limits of the tier ${name}, from the next payment on.`,
      facts: [
        ['applies to', people],
        ['why', reason],
      ],
      changes: describeChange(tier, { ...tier, ...limits }),
      async carryOut() {
        await db.tx(async (tx) => {
          const before = await changeTier(tx, { name, limits, actor, reason });
          if (!before) throw unknown(`there is no tier "${name}": see florin limit list`);
          refuseOutdated(renderLimits(tier), renderLimits(before));
        });
        return `Changed ${name}.\n`;
      },
    };
  },
});

const give = verb({
  summary: 'Gives a tier to everyone with this identity check status',
  words: ['STATUS', 'TIER'],
  options: { why: WHY },
  examples: ['limit give approved verified --why "new policy"'],
  async plan({ db, allow }, { words: [kycStatus = '', tier = ''], options }) {
    const reason = parseReason(options.why);
    const actor = await allow('limits');
    const after = await getTier(db, tier);
    const tiers = await listTiers(db);
    const before = tiers.find((one) => one.kycStatuses.includes(kycStatus));
    const known = tiers.flatMap((one) => one.kycStatuses);
    if (!before) throw unknown(`there is no identity check status "${kycStatus}"${suggest(kycStatus, known)}`);
    return {
      title: `Give everyone with the identity check ${kycStatus} the tier ${tier}, from the next payment on.`,
      facts: [['why', reason]],
      changes: [{ what: 'tier', before: before.name, after: tier }, ...describeChange(before, after)],
      async carryOut() {
        await db.tx(async (tx) => {
          const done = await giveTier(tx, { kycStatus, tier, actor, reason });
          if (done === 'unknown tier') throw unknown(`there is no tier "${tier}"`);
          if (done === 'unknown status') throw unknown(`there is no identity check status "${kycStatus}"`);
          refuseOutdated([before.name, renderLimits(after)], [done.before, renderLimits(await getTier(tx, tier))]);
        });
        return `People with the status ${kycStatus} now have the limits of ${tier}.\n`;
      },
    };
  },
});

const history = verb({
  summary: 'Shows who changed limits, when and why',
  reads: true,
  async run({ db }) {
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
    const changes = [...tiers, ...given].toSorted((one, other) => other.changedAt.getTime() - one.changedAt.getTime());
    const json = changes.map(({ changedAt, changedBy, what, before, after, reason }) => ({
      changed_at: changedAt,
      changed_by: changedBy,
      what,
      before,
      after,
      reason: reason ?? null,
    }));
    const rows = changes.map((one) => [
      renderTime(one.changedAt),
      one.changedBy,
      one.what,
      one.before,
      one.after,
      one.reason ?? '-',
    ]);
    const heading = ['when', 'who', 'what', 'before', 'after', 'why'];
    return { text: rows.length === 0 ? 'No limit was ever changed.\n' : renderTable([heading, ...rows]), json };
  },
});

export default {
  about: `How much people may spend, by tier. The status of a person's identity check determines their tier. Amounts are in
USDC. A change takes effect with the next payment, in every process.`,
  verbs: { list, set, give, history },
} satisfies Noun;

async function getTier(db: Queryable, name: string) {
  const tiers = await listTiers(db);
  const found = tiers.find((one) => one.name === name);
  const names = tiers.map((one) => one.name);
  if (!found) throw unknown(`there is no tier "${name}"${suggest(name, names)}: see florin limit list`);
  return found;
}

const HEADINGS = ['per payment', 'per 24 hours', 'per 30 days', 'payments in 24 h'] as const;

function describeChange(before: TierLimits, after: TierLimits) {
  const [was, is] = [renderLimits(before), renderLimits(after)];
  return HEADINGS.map((what, i) => ({ what, before: was[i]!, after: is[i]! }));
}

function parseLimits(values: Given<typeof AMOUNTS>): Partial<TierLimits> {
  const limits: { -readonly [Limit in keyof TierLimits]?: TierLimits[Limit] } = {};
  for (const name of ['payment', 'day', 'month'] as const) {
    const text = values[name];
    if (text !== undefined) limits[name] = text === 'none' ? null : parseAmount(name, text);
  }
  const { count } = values;
  if (count !== undefined) {
    if (count !== 'none' && !/^\d{1,9}$/.test(count)) throw misused('--count must be a whole number or "none"');
    limits.count = count === 'none' ? null : Number.parseInt(count, 10);
  }
  if (Object.keys(limits).length === 0) {
    throw misused('give at least one of --payment, --day, --month and --count');
  }
  return limits;
}

function parseAmount(name: string, text: string): bigint {
  if (!/^\d+(\.\d+)?$/.test(text)) throw misused(`--${name} must be an amount of USDC or "none"`);
  try {
    return parseUsdc(text);
  } catch (error) {
    if (error instanceof PayError) throw misused(`--${name} is not an amount that can be paid`);
    throw error;
  }
}

const renderLimits = ({ payment, day, month, count }: TierLimits): string[] => [
  ...[payment, day, month].map((amount) => (amount === null ? 'none' : formatUsdc(amount))),
  count === null ? 'none' : String(count),
];

const toJson = ({ payment, day, month, count }: TierLimits) => ({
  payment: payment === null ? null : formatUsdc(payment),
  day: day === null ? null : formatUsdc(day),
  month: month === null ? null : formatUsdc(month),
  count,
});
