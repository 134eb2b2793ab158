/** A proxy between a server and PostgreSQL at which the server can die: from then on, nothing that it sends arrives. */
import { proxyDatabase } from '../../database/proxyDatabase.ts';
import { readMessages } from '../../database/readMessages.ts';

interface CrashGate {
  readonly url: string;
  /**
   * Lets the server die at this statement, counted from 1: before PostgreSQL receives it, or before the answer arrives.
   */
  arm(nth: number, end: 'before' | 'after'): void;
  disarm(): void;
  /** Resolves with the statement at which it died. */
  readonly died: Promise<string>;
  close(): Promise<void>;
}

/** Connections whose statements depend on the clock, not on the call: quotas per minute, probes. */
const BACKGROUND_CONNECTIONS = /\0application_name\0florin-(limits|probes|hosts)\0/;

/** Statements of timers and of caches that expire, which a call may or may not need. */
const BACKGROUND =
  /^(BEGIN|SET |SHOW |SELECT 1|LISTEN|UNLISTEN)|pg_is_in_recovery|chain_heads|onchain_balances|\brates\b|open_assets?\b|FROM assets|follow_events|ledger_settled_seq|FROM feed|pg_stat|FROM jobs|FROM restores|name_epoch|FROM epochs|FROM service_keys|UPDATE service_keys/i;

const ENDS_TRANSACTION = /^(COMMIT|ROLLBACK)\b/i;

export async function openCrashGate(databaseUrl: string): Promise<CrashGate> {
  let target: { nth: number; end: 'before' | 'after' } | undefined;
  let count = 0;
  let isDead = false;
  let die: (where: string) => void = () => {};
  const died = new Promise<string>((done) => {
    die = done;
  });
  const { url, breakConnections, remove } = await proxyDatabase(databaseUrl, (near, far, end) => {
    if (isDead) return end();
    const names = new Map<string, string>();
    let text = '';
    let isBackground = false;
    /** The open transaction has a statement of a call, so its end is one too. */
    let isOwnTransaction = false;
    const isOfCall = (): boolean => {
      if (isBackground) return false;
      const statement = text.trimStart();
      if (ENDS_TRANSACTION.test(statement)) {
        const isOwn = isOwnTransaction;
        isOwnTransaction = false;
        return isOwn;
      }
      if (/^BEGIN\b/i.test(statement)) isOwnTransaction = false;
      if (BACKGROUND.test(statement)) return false;
      isOwnTransaction = true;
      return true;
    };
    let group: Buffer[] = [];
    /** PostgreSQL still gets the statement, and the connection ends when it has done it. */
    let isLast = false;
    near.on(
      'data',
      readMessages((type, message) => {
        if (isDead || far.destroyed) return;
        if (type === '') {
          isBackground = BACKGROUND_CONNECTIONS.test(message.toString('latin1'));
          return void far.write(message);
        }
        const words = message.subarray(5).toString('latin1').split('\0');
        if (type === 'Q') text = words[0]!;
        if (type === 'P') {
          text = words[1]!;
          names.set(words[0]!, text);
        }
        if (type === 'B') text = names.get(words[1]!) ?? '?';
        group.push(message);
        if (type !== 'Q' && type !== 'S' && type !== 'X' && type !== 'p') return;
        const bytes = Buffer.concat(group);
        group = [];
        const isCounted = (type === 'Q' || type === 'S') && isOfCall();
        if (target && isCounted && ++count === target.nth) {
          const where = `${target.end} ${text.replace(/\s+/g, ' ').trim().slice(0, 60)}`;
          if (target.end === 'before') {
            isDead = true;
            breakConnections();
            return die(where);
          }
          isLast = true;
          target = undefined;
          far.once('end-of-statement', () => {
            isDead = true;
            breakConnections();
            die(where);
          });
        }
        far.write(bytes);
      }, false),
    );
    // A client asks only after the answer before, so the last answer begins with a whole message.
    const readLast = readMessages((type) => void (type === 'Z' && far.emit('end-of-statement')), true);
    far.on('data', (chunk: Buffer) => {
      if (isLast) readLast(chunk);
      else if (!near.destroyed) near.write(chunk);
    });
  });
  return {
    url,
    arm(nth, end) {
      [target, count] = [{ nth, end }, 0];
    },
    disarm() {
      target = undefined;
    },
    died,
    close: remove,
  };
}
