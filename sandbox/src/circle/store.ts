import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { writePrivateFile } from '../writePrivateFile.ts';
import type {
  Cursor,
  KeptAnswer,
  OffChainCoins,
  Secrets,
  Subscription,
  Transaction,
  Wallet,
  WalletSet,
  WebhookKey,
} from './records.ts';

interface Table<Row extends { readonly id: string }> {
  find(id: string): Row | undefined;
  /** In the order of their first put. */
  list(): readonly Row[];
  put(row: Row): void;
  remove(id: string): void;
}

export interface Store {
  readonly secrets: Table<Secrets>;
  readonly walletSets: Table<WalletSet>;
  readonly wallets: Table<Wallet>;
  readonly transactions: Table<Transaction>;
  readonly subscriptions: Table<Subscription>;
  readonly webhookKeys: Table<WebhookKey>;
  readonly answers: Table<KeptAnswer>;
  /** Hashes of the used entity secret ciphertexts: each is valid for one request. */
  readonly usedCiphertexts: Table<{ readonly id: string }>;
  readonly coins: Table<OffChainCoins>;
  readonly cursors: Table<Cursor>;
  /** Writes the changes. Call it before anyone is notified of them. */
  flush(): void;
  close(): void;
}

type Line = readonly [table: keyof Store, id: string, row: unknown];

/**
 * Every change is a line at the end of the file; a new start reads them all and keeps the last version of each row.
 * Changes that belong together, like a transaction and the answer under its key, are written together. No client was
 * notified of a change that was not written when the process was killed. Without a file, everything is lost when the
 * double stops.
 */
export function openStore(path: string | undefined): Store {
  const tables = new Map<string, Map<string, unknown>>();
  const rowsOf = (name: string): Map<string, unknown> => {
    const rows = tables.get(name) ?? new Map<string, unknown>();
    tables.set(name, rows);
    return rows;
  };
  for (const [name, id, row] of readLines(path)) {
    if (row === null) rowsOf(name).delete(id);
    else rowsOf(name).set(id, row);
  }
  const kept = [...tables].flatMap(([name, rows]) =>
    [...rows].map(([id, row]) => [name as keyof Store, id, row] as Line),
  );
  if (path) writePrivateFile(path, kept.map(render).join(''));
  const file = path === undefined ? undefined : openSync(path, 'a', 0o600);
  let isOpen = true;
  let unwritten = '';
  const flush = () => {
    if (file !== undefined && isOpen && unwritten !== '') writeSync(file, unwritten);
    unwritten = '';
  };
  const append = (line: Line) => {
    if (unwritten === '') setImmediate(flush);
    unwritten += render(line);
  };

  function table<Row extends { readonly id: string }>(name: keyof Store): Table<Row> {
    const rows = rowsOf(name) as Map<string, Row>;
    return {
      find: (id) => rows.get(id),
      list: () => [...rows.values()],
      put(row) {
        append([name, row.id, row]);
        rows.set(row.id, row);
      },
      remove(id) {
        append([name, id, null]);
        rows.delete(id);
      },
    };
  }

  return {
    secrets: table('secrets'),
    walletSets: table('walletSets'),
    wallets: table('wallets'),
    transactions: table('transactions'),
    subscriptions: table('subscriptions'),
    webhookKeys: table('webhookKeys'),
    answers: table('answers'),
    usedCiphertexts: table('usedCiphertexts'),
    coins: table('coins'),
    cursors: table('cursors'),
    flush,
    close() {
      flush();
      if (file !== undefined && isOpen) closeSync(file);
      isOpen = false;
    },
  };
}

const render = (line: Line): string => `${JSON.stringify(line)}\n`;

function readLines(path: string | undefined): Line[] {
  try {
    const lines = path ? readFileSync(path, 'utf8').split('\n') : [];
    // The process died while it wrote the text after the last line end; no client was notified of it.
    lines.pop();
    return lines.map((line) => JSON.parse(line) as Line);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
