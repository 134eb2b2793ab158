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

/** Statements of timers, which are not part of any call. */
const BACKGROUND =
  /^(BEGIN|SET |SHOW |SELECT 1|SELECT pg_is_in_recovery|LISTEN|UNLISTEN)|ledger_settled_seq|FROM feed|head_number|pg_stat|FROM jobs|FROM restores|show_rates|FROM rates|rates \(|name_epoch|FROM epochs|token_balances|next_settled/i;

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
    let group: Buffer[] = [];
    /** PostgreSQL still gets the statement, and the connection ends when it has done it. */
    let isLast = false;
    near.on(
      'data',
      readMessages((type, message) => {
        if (isDead || far.destroyed) return;
        if (type === '') return void far.write(message);
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
        const isCounted = (type === 'Q' || type === 'S') && !BACKGROUND.test(text.trimStart());
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
    far.on(
      'data',
      readMessages((type, message) => {
        if (isLast) {
          if (type === 'Z') far.emit('end-of-statement');
          return;
        }
        if (!near.destroyed) near.write(message);
      }, true),
    );
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
