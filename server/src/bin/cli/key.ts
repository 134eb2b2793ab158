import { formatUsdc } from '../../core/money.ts';
import { type AccountKey, findAccountKeys, listKeysOfAccounts } from '../../customers/keys/accountKeys.ts';
import { type KeyLimits, type KeyRules, listKeyChanges, NOTHING } from '../../customers/keys/keyRules.ts';
import {
  changeServiceKey,
  createServiceKey,
  listServiceKeys,
  lockServiceKey,
  revokeServiceKey,
  SCOPES,
  type Scope,
  type ServiceKey,
} from '../../customers/keys/serviceKeys.ts';
import type { Queryable } from '../../db/database.ts';
import { findUuid } from '../../http/contract/parseUuid.ts';
import { type Noun, verb } from '../program/command.ts';
import { CommandFault, misused, unknown } from '../program/faults.ts';
import { describePerson, findUserId } from '../program/lookups.ts';
import { refuseOutdated } from '../program/plan.ts';
import { parseReason, WHY } from '../program/reason.ts';
import { renderFields, renderTime, wrap } from '../program/render.ts';
import { suggest } from '../program/suggest.ts';
import { applyKeyOptions, describeRules, KEY_OPTIONS, saysWhatItSpends } from './verbs/keyOptions.ts';

const spends = (scopes: readonly Scope[]): boolean => scopes.includes('send') || scopes.includes('payouts');

const list = verb({
  summary: 'Shows every key, its limits, and when it was last used',
  reads: true,
  async run({ db }) {
    const keys = await listServiceKeys(db);
    return { text: renderKeys(keys), json: keys.map(toJson) };
  },
});

const accounts = verb({
  summary: 'Shows the keys that people created for their accounts, of one person or of all',
  words: ['[PERSON]'],
  examples: ['key accounts ada'],
  reads: true,
  async run({ db }, { words: [person] }) {
    const keys = await listKeysOfAccounts(db, person === undefined ? undefined : await findUserId(db, person));
    return { text: renderAccountKeys(keys), json: keys.map(accountKeyToJson) };
  },
});

const create = verb({
  summary: 'Creates a key and shows it once',
  about: 'A key that sends needs at least one of --user, --wallet, --treasury and --any-wallet.',
  words: ['NAME'],
  options: {
    scope: {
      type: 'string',
      multiple: true,
      value: 'SCOPE',
      summary: 'read, send or both; or any of events, webhooks, payouts; with read or events also notes',
    },
    ...KEY_OPTIONS,
    id: {
      type: 'string',
      value: 'ID',
      summary: 'the id of a key that a restored database lost: repeated calls then stay the same payments',
    },
  },
  examples: ['key create "payout robot" --scope read,send --user ada --day 500 --expires 2027-01-31'],
  async plan({ db, allow }, { words: [word = ''], options }) {
    const name = word.trim();
    if (!name || name.length > 100 || name.includes('\0')) throw misused('NAME can have at most 100 characters');
    const scopes = parseScopes(options.scope);
    if (spends(scopes) && !saysWhatItSpends(options))
      throw misused('say what it may spend: --user, --wallet, --treasury, or --any-wallet for every person');
    const wantedId = options.id === undefined ? undefined : findUuid(options.id);
    if (options.id !== undefined && !wantedId)
      throw misused('--id must be the id of a key, as florin key list shows it');
    await allow('keys');
    const rules = await applyKeyOptions(db, NOTHING, options);
    if (wantedId && (await listServiceKeys(db)).some((one) => one.keyId === wantedId))
      throw new CommandFault(`there already is a key ${wantedId}`);
    return {
      title: `Create a service key with the name ${name}.`,
      facts: [['scopes', scopes.join(', ')]],
      changes: [{ what: 'may spend', before: 'nothing', after: spends(scopes) ? describeRules(rules) : 'nothing' }],
      warning: warnOfRules(scopes, rules),
      async carryOut() {
        const { keyId, key } = await db.tx((tx) => createServiceKey(tx, { name, scopes, rules, keyId: wantedId }));
        const may = spends(scopes) ? wrap(`It may spend: ${describeRules(rules)}.`) : [];
        const lines = [
          key,
          '',
          `Key ${keyId} (${name}), scopes: ${scopes.join(', ')}.`,
          ...may,
          ...wrap(
            'The key is shown only this once. Send it as Authorization: Bearer <key>. Only its hash is stored, so a lost key cannot be recovered: create another one.',
          ),
        ];
        return `${lines.join('\n')}\n`;
      },
    };
  },
});

const change = verb({
  summary: 'Changes the given options, from the next payment on',
  words: ['KEY'],
  options: { ...KEY_OPTIONS, why: WHY },
  examples: ['key change "payout robot" --day 900 --why "more payouts"'],
  async plan({ db, allow }, { words: [word = ''], options }) {
    const reason = parseReason(options.why);
    await allow('keys');
    const known = await getKey(db, word);
    const { keyId, name, scopes } = known;
    if (!known.rules && spends(scopes) && !saysWhatItSpends(options))
      throw misused('it has no limits yet; say what it may spend: --user, --wallet, --treasury or --any-wallet');
    const wanted = await applyKeyOptions(db, known.rules ?? NOTHING, options);
    return {
      title: 'Change this service key, from its next payment on.',
      facts: [
        ['key', `${keyId} ${name}`],
        ['scopes', scopes.join(', ')],
        ['last used', renderTime(known.lastUsedAt)],
        ['why', reason],
      ],
      changes: [{ what: 'may spend', before: describeUse(known) ?? 'nothing', after: describeRules(wanted) }],
      warning: warnOfRules(scopes, wanted),
      carryOut: () =>
        db.tx(async (tx) => {
          const key = await lockServiceKey(tx, keyId);
          if (!key) throw unknown(`no key ${keyId} is in use`);
          refuseOutdated(known.rules, key.rules);
          await changeServiceKey(tx, keyId, wanted, reason);
          return `${wrap(`Changed ${keyId}. It may spend: ${describeRules(wanted)}.`).join('\n')}\n`;
        }),
    };
  },
});

const history = verb({
  summary: 'Shows who changed which key, when and why',
  words: ['[KEY]'],
  reads: true,
  async run({ db }, { words: [word] }) {
    const id = word === undefined ? undefined : (findUuid(word) ?? (await getKey(db, word)).keyId);
    const changes = await listKeyChanges(db, id);
    const json = changes.map((one) => ({
      changed_at: one.changedAt,
      changed_by: one.changedBy,
      key_id: one.keyId,
      name: one.name,
      before: one.before && rulesToJson(one.before),
      after: rulesToJson(one.after),
      reason: one.reason,
    }));
    const text = changes.map((one) =>
      renderFields([
        ['when', renderTime(one.changedAt)],
        ['who', one.changedBy],
        ['key', `${one.keyId} ${one.name}`],
        ['before', one.before ? describeRules(one.before) : '-'],
        ['after', describeRules(one.after)],
        ['why', one.reason ?? '-'],
      ]),
    );
    return { text: text.join('\n') || 'No key was ever changed.\n', json };
  },
});

const revoke = verb({
  summary: 'Revokes a key: every process refuses it from now on',
  words: ['KEY'],
  examples: ['key revoke "payout robot"'],
  async plan({ db, allow }, { words: [word = ''] }) {
    await allow('keys');
    const ofAccount = await findAccountKey(db, word);
    const key = ofAccount ?? (await getKey(db, word));
    const { keyId, name, scopes, lastUsedAt } = key;
    return {
      title: `Revoke this ${ofAccount ? 'account key' : 'service key'}. It cannot be made valid again.`,
      facts: [
        ['key', `${keyId} ${name}`],
        ['account of', ofAccount && (await describePerson(db, ofAccount.userId))],
        ['scopes', scopes.join(', ')],
        ['last used', renderTime(lastUsedAt)],
        ['may spend', 'limits' in key ? describeLimits(key.limits) : describeUse(key)],
      ],
      changes: [
        {
          what: 'state',
          before: 'limits' in key ? key.state : describeState(key),
          after: 'revoked: every call with it answers 401',
        },
      ],
      async carryOut() {
        const revoked = await db.tx((tx) => revokeServiceKey(tx, keyId));
        if (!revoked) throw unknown(`no key ${keyId} is in use`);
        return `Revoked ${keyId}. Every process refuses it from now on.\n`;
      },
    };
  },
});

export default {
  about: `Keys for other services that call our APIs, and what each may spend. KEY is a key's id, or its name if only one
service key in use has it. People create keys of their accounts in the wallet; operators list and revoke them.`,
  verbs: { list, accounts, create, change, history, revoke },
} satisfies Noun;

/** Finds a key in use by id or name. */
async function getKey(db: Queryable, word: string): Promise<ServiceKey> {
  const id = findUuid(word);
  const found = (await listServiceKeys(db)).filter(
    ({ keyId, name, revokedAt }) => !revokedAt && (keyId === id || name === word),
  );
  if (found.length > 1) throw new CommandFault(`${found.length} keys have the name ${word}: use the id`);
  if (!found[0]) {
    const names = (await listServiceKeys(db)).filter((one) => !one.revokedAt).map((one) => one.name);
    throw unknown(`no key ${word} is in use${suggest(word, names)}: see florin key list`);
  }
  return found[0];
}

async function findAccountKey(db: Queryable, word: string): Promise<AccountKey | undefined> {
  const id = findUuid(word);
  const [found] = id ? await findAccountKeys(db, [id]) : [];
  return found?.state === 'revoked' ? undefined : found;
}

/** What a typo can cost: these limits are missing. */
function warnOfRules(scopes: readonly Scope[], { people, users, wallets, anyPerson }: KeyRules): string | undefined {
  const spendsPeoples = anyPerson || users.length + wallets.length > 0;
  if (!spends(scopes) || !spendsPeoples || (people.payment ?? people.day ?? people.month) !== null) return undefined;
  return "it may spend all of these people's money, without a limit: --payment, --day, --month";
}

const WEB3: ReadonlySet<string> = new Set(['read', 'send']);

function parseScopes(texts: readonly string[] | undefined): Scope[] {
  const scopes = [...new Set(texts?.flatMap((text) => text.split(',')) ?? [])];
  if (scopes.length === 0) throw misused(`--scope is missing: any of ${SCOPES.join(', ')}`);
  const wrong = scopes.find((scope) => !(SCOPES as readonly string[]).includes(scope));
  if (wrong !== undefined)
    throw misused(`there is no scope "${wrong}"${suggest(wrong, SCOPES)}; the scopes are ${SCOPES.join(', ')}`);
  const kinds = new Set(scopes.filter((one) => one !== 'notes').map((one) => WEB3.has(one)));
  if (kinds.size > 1)
    throw misused('read and send are for the Web3 API, the others for the Backend API: create a key for each');
  if (scopes.includes('notes') && !scopes.some((one) => one === 'read' || one === 'events'))
    throw misused('notes adds the notes of payments to read or events: give one of these too');
  return scopes as Scope[];
}

function renderKeys(keys: readonly ServiceKey[]): string {
  if (keys.length === 0) return 'There are no keys.\n';
  const shown = keys.map((key) =>
    renderFields([
      ['key', `${key.keyId}  ${key.name}`],
      ['scopes', key.scopes.join(' ')],
      ['created', renderTime(key.createdAt)],
      ['last used', renderTime(key.lastUsedAt)],
      ['state', describeState(key)],
      ['may spend', describeUse(key)],
    ]),
  );
  const isWarned = keys.some((key) => !key.revokedAt && !key.rules && spends(key.scopes));
  const warning = '\nWARNING: a key without limits can spend from every wallet. Set limits: florin key change KEY …\n';
  return shown.join('\n') + (isWarned ? warning : '');
}

function renderAccountKeys(keys: readonly AccountKey[]): string {
  if (keys.length === 0) return 'There are no account keys.\n';
  const shown = keys.map((key) =>
    renderFields([
      ['key', `${key.keyId}  ${key.name}`],
      ['account of', `user ${key.userId}`],
      ['scopes', key.scopes.join(' ')],
      ['created', renderTime(key.createdAt)],
      ['last used', renderTime(key.lastUsedAt)],
      ['state', key.state],
      ['may spend', describeLimits(key.limits)],
      ['from', key.addresses?.join(', ')],
      ['until', key.expiresAt ? renderTime(key.expiresAt) : undefined],
    ]),
  );
  return shown.join('\n');
}

function describeLimits(limits: KeyLimits): string | undefined {
  const parts = (['payment', 'day', 'month'] as const).flatMap((span) =>
    limits[span] === null ? [] : [`${formatUsdc(limits[span])} USDC per ${span}`],
  );
  return parts.length === 0 ? undefined : parts.join(', ');
}

const accountKeyToJson = (key: AccountKey) => ({
  key_id: key.keyId,
  user_id: key.userId,
  name: key.name,
  scopes: key.scopes,
  state: key.state,
  limits: limitsToJson(key.limits),
  addresses: key.addresses,
  expires_at: key.expiresAt,
  created_at: key.createdAt,
  last_used_at: key.lastUsedAt,
});

function describeState(key: ServiceKey): string {
  if (key.revokedAt) return `revoked ${renderTime(key.revokedAt)}`;
  if (key.isUnconfirmed) return 'from before a restore: refused until florin restore confirm keys';
  return key.isExpired ? 'expired' : 'in use';
}

function describeUse({ scopes, rules }: ServiceKey): string | undefined {
  if (!spends(scopes)) return undefined;
  return rules
    ? describeRules(rules)
    : 'EVERYTHING, including the treasury, without limits (created before keys had limits)';
}

const toJson = (key: ServiceKey) => ({
  key_id: key.keyId,
  name: key.name,
  scopes: key.scopes,
  created_at: key.createdAt,
  last_used_at: key.lastUsedAt,
  revoked_at: key.revokedAt,
  is_expired: key.isExpired,
  is_unconfirmed: key.isUnconfirmed,
  rules: key.rules && rulesToJson(key.rules),
});

const rulesToJson = (rules: KeyRules) => ({
  any_person: rules.anyPerson,
  users: rules.users,
  wallets: rules.wallets,
  people: limitsToJson(rules.people),
  treasury: rules.treasury && limitsToJson(rules.treasury),
  blockchains: rules.blockchains,
  destinations: rules.destinations,
  expires_at: rules.expiresAt,
  certificate: rules.certificate,
});

const limitsToJson = (limits: KeyLimits) =>
  Object.fromEntries(
    (['payment', 'day', 'month'] as const).map((span) => {
      const amount = limits[span];
      return [span, amount === null ? null : formatUsdc(amount)];
    }),
  );
