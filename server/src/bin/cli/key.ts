import { listKeyChanges, NOTHING } from '../../customers/keys/keyRules.ts';
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
import type { Db } from '../../db/database.ts';
import { findUuid } from '../../http/contract/parseUuid.ts';
import { applyKeyOptions, describeRules, type KeyOptions, parseKeyOptions, saysWhatItSpends } from './keyOptions.ts';
import { type Command, CommandFault, parseReason, refuseUnlessAllowed, renderTable } from './runCommand.ts';

export const KEYS_HELP = `Keys with which other services call the Web3 API. Needs DATABASE_URL with an operator's login.

  npm run keys -- create --name "payout robot" --scope read --scope send --user ada --day 500 --expires 2027-01-31
  npm run keys -- list
  npm run keys -- change --id <key id> --day 900 --why "more payouts"
  npm run keys -- history [--id <key id>]
  npm run keys -- revoke --id <key id>

Scopes: read (wallets and transactions), send (move money). A key is shown once, when it is made. What a key that sends may
spend has to be said; \`change\` replaces what its options say, from the next payment on:

  --user NAME, --wallet ID     whose money; several are allowed. --any-wallet: every person's
  --payment, --day, --month    limits in USDC: each payment, 24 hours, 30 days; "none" is no limit
  --treasury                   the service's own money too, with --treasury-payment, --treasury-day and --treasury-month;
                               --no-treasury takes it back
  --blockchain NAME            only there; several are allowed, "any" is all
  --to ADDRESS                 only to these addresses or ranges (0x…-0x…); "any" is all
  --expires DAY                2027-01-31 or 2027-01-31T12:00Z, UTC; or "never"
  --certificate SHA256         works only with this client certificate (docs/tls.md); or "none"
  --from RANGE                 works only from these addresses (203.0.113.7, 10.0.0.0/8, 2001:db8::/48); "any" is all
`;

const COMMANDS = ['create', 'list', 'change', 'history', 'revoke', 'help'];

export const manageKeys: Command = async (db, args) => {
  const { values, positionals } = parseKeyOptions(args);
  const [command = 'help', ...rest] = positionals;
  if (!COMMANDS.includes(command) || rest.length > 0) {
    throw new CommandFault(`there is no command "${positionals.join(' ')}"\n\n${KEYS_HELP}`);
  }
  if (command === 'list') return renderKeys(await listServiceKeys(db));
  if (command === 'history')
    return renderHistory(db, values.id === undefined ? undefined : parseId(command, values.id));
  if (command === 'create') return create(db, values);
  if (command === 'help') return KEYS_HELP;
  const id = parseId(command, values.id);
  if (command === 'change') return change(db, id, values);
  await refuseUnlessAllowed(db, 'keys');
  const revoked = await db.tx((tx) => revokeServiceKey(tx, id));
  if (!revoked) throw new CommandFault(`no key ${id} is in use`);
  return `Revoked ${id}. It is refused from now on, by every process.\n`;
};

async function create(db: Db, options: KeyOptions): Promise<string> {
  const name = options.name?.trim();
  if (!name || name.length > 100 || name.includes('\0'))
    throw new CommandFault('create needs --name, at most 100 characters');
  const scopes = parseScopes(options.scope);
  if (scopes.includes('send') && !saysWhatItSpends(options)) {
    throw new CommandFault('say what it may spend: --user, --wallet, --treasury, or --any-wallet for every person');
  }
  await refuseUnlessAllowed(db, 'keys');
  const rules = await applyKeyOptions(db, NOTHING, options);
  const { keyId, key } = await db.tx((tx) => createServiceKey(tx, { name, scopes, rules }));
  const may = scopes.includes('send') ? `\nIt may spend: ${describeRules(rules)}.` : '';
  return `${key}\n\nKey ${keyId} (${name}), scopes: ${scopes.join(', ')}.${may} It is shown only now: send it as
Authorization: Bearer <key>. Only its hash is stored, so a lost key cannot be recovered: create another one.\n`;
}

async function change(db: Db, id: string, options: KeyOptions): Promise<string> {
  const reason = parseReason(options.why);
  await refuseUnlessAllowed(db, 'keys');
  return db.tx(async (tx) => {
    // What the options leave as it is must still be so when the change is written.
    const key = await lockServiceKey(tx, id);
    if (!key) throw new CommandFault(`no key ${id} is in use`);
    if (!key.rules && key.scopes.includes('send') && !saysWhatItSpends(options)) {
      throw new CommandFault(
        'it has no limits yet; say what it may spend: --user, --wallet, --treasury or --any-wallet',
      );
    }
    const rules = await applyKeyOptions(tx, key.rules ?? NOTHING, options);
    await changeServiceKey(tx, id, rules, reason);
    return `Key ${id} (${key.name}) may spend: ${describeRules(rules)}.\n`;
  });
}

function parseId(command: string, text: string | undefined): string {
  const id = findUuid(text ?? '');
  if (!id) throw new CommandFault(`${command} needs --id, as \`list\` shows it`);
  return id;
}

function parseScopes(texts: readonly string[] | undefined): Scope[] {
  const scopes = [...new Set(texts?.flatMap((text) => text.split(',')) ?? [])];
  if (scopes.length === 0) throw new CommandFault(`create needs --scope: ${SCOPES.join(' or ')}, or both`);
  const unknown = scopes.find((scope) => !(SCOPES as readonly string[]).includes(scope));
  if (unknown !== undefined)
    throw new CommandFault(`there is no scope "${unknown}"; there are ${SCOPES.join(' and ')}`);
  return scopes as Scope[];
}

const minute = (at: Date | null) => at?.toISOString().slice(0, 16).replace('T', ' ') ?? 'never';

function renderKeys(keys: readonly ServiceKey[]): string {
  if (keys.length === 0) return 'There are no keys.\n';
  const rows = keys.map((key) => [
    key.keyId,
    key.name,
    key.scopes.join(' '),
    minute(key.createdAt),
    minute(key.lastUsedAt),
    describeState(key),
    describeUse(key),
  ]);
  const table = renderTable([['id', 'name', 'scopes', 'created (UTC)', 'last used', 'state', 'may spend'], ...rows]);
  const isWarned = keys.some((key) => !key.revokedAt && !key.rules && key.scopes.includes('send'));
  return isWarned
    ? `${table}\nWARNING: a key without limits spends every wallet. Give it some: keys change --id …\n`
    : table;
}

function describeState(key: ServiceKey): string {
  if (key.revokedAt) return `revoked ${minute(key.revokedAt)}`;
  if (key.isUnconfirmed) return 'from before a restore';
  return key.isExpired ? 'expired' : 'in use';
}

function describeUse({ scopes, rules }: ServiceKey): string {
  if (!scopes.includes('send')) return '-';
  return rules ? describeRules(rules) : 'EVERYTHING, the treasury too, without limits (made before keys had limits)';
}

async function renderHistory(db: Db, id: string | undefined): Promise<string> {
  const rows = (await listKeyChanges(db, id)).map((one) => [
    one.changedAt.toISOString(),
    one.changedBy,
    `${one.keyId} ${one.name}`,
    one.before ? describeRules(one.before) : '-',
    describeRules(one.after),
    one.reason ?? '-',
  ]);
  return renderTable([['when', 'who', 'key', 'before', 'after', 'why'], ...rows]);
}
