import { parseArgs } from 'node:util';
import {
  createServiceKey,
  listServiceKeys,
  revokeServiceKey,
  SCOPES,
  type Scope,
  type ServiceKey,
} from '../../customers/keys/serviceKeys.ts';
import { type Command, CommandFault, refuseUnlessAllowed, renderTable } from './runCommand.ts';

export const KEYS_HELP = `Keys with which other services call the Web3 API. Needs DATABASE_URL with an operator's login.

  npm run keys -- create --name "payout robot" --scope read --scope send
  npm run keys -- list
  npm run keys -- revoke --id <key id>

Scopes: read (wallets and transactions), send (move money). A key is shown once, when it is made.
`;

export const manageKeys: Command = async (db, args, actor) => {
  const { command, name, scopes, id } = parseCommand(args);
  if (command === 'list') return renderKeys(await listServiceKeys(db));
  if (command === 'revoke') {
    if (!id || !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)) {
      throw new CommandFault('revoke needs --id, as `list` shows it');
    }
    await refuseUnlessAllowed(db, actor, 'keys');
    const revoked = await db.tx((tx) => revokeServiceKey(tx, id, actor));
    if (!revoked) throw new CommandFault(`no key ${id} is in use`);
    return `Revoked ${id}. It is refused from now on, by every process.\n`;
  }
  if (command !== 'create') return KEYS_HELP;
  if (!name || name.length > 100 || name.includes('\0'))
    throw new CommandFault('create needs --name, at most 100 characters');
  if (scopes.length === 0) throw new CommandFault(`create needs --scope: ${SCOPES.join(' or ')}, or both`);
  await refuseUnlessAllowed(db, actor, 'keys');
  const { keyId, key } = await db.tx((tx) => createServiceKey(tx, { name, scopes, actor }));
  return `${key}\n\nKey ${keyId} (${name}), scopes: ${scopes.join(', ')}. It is shown only now: send it as
Authorization: Bearer <key>. Only its hash is stored, so a lost key cannot be recovered: create another one.\n`;
};

function parseCommand(args: readonly string[]) {
  let parsed: { values: { name?: string; scope?: string[]; id?: string }; positionals: string[] };
  try {
    const options = {
      name: { type: 'string' },
      scope: { type: 'string', multiple: true },
      id: { type: 'string' },
    } as const;
    parsed = parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new CommandFault((error as Error).message);
  }
  const [command = 'help', ...rest] = parsed.positionals;
  if (!['create', 'list', 'revoke', 'help'].includes(command) || rest.length > 0) {
    throw new CommandFault(`there is no command "${parsed.positionals.join(' ')}"\n\n${KEYS_HELP}`);
  }
  const scopes = [...new Set(parsed.values.scope?.flatMap((text) => text.split(',')) ?? [])];
  const unknown = scopes.find((scope) => !(SCOPES as readonly string[]).includes(scope));
  if (unknown !== undefined)
    throw new CommandFault(`there is no scope "${unknown}"; there are ${SCOPES.join(' and ')}`);
  return { command, name: parsed.values.name?.trim(), id: parsed.values.id, scopes: scopes as Scope[] };
}

function renderKeys(keys: readonly ServiceKey[]): string {
  if (keys.length === 0) return 'There are no keys.\n';
  const minute = (at: Date | null) => at?.toISOString().slice(0, 16).replace('T', ' ') ?? 'never';
  const rows = keys.map((key) => [
    key.keyId,
    key.name,
    key.scopes.join(' '),
    minute(key.createdAt),
    minute(key.lastUsedAt),
    key.revokedAt ? `revoked ${minute(key.revokedAt)}` : key.isUnconfirmed ? 'from before a restore' : 'in use',
  ]);
  return renderTable([['id', 'name', 'scopes', 'created (UTC)', 'last used', 'state'], ...rows]);
}
