import { CREDENTIALS, confirmRestore, listRestores, noteRestore } from '../../operators/restores.ts';
import { type Noun, verb } from '../program/command.ts';
import { parseWord } from '../program/lookups.ts';
import { parseReason, WHY } from '../program/reason.ts';
import { renderTable, renderTime } from '../program/render.ts';

const note = verb({
  summary: 'Records that this database was restored from a backup; run it before servers start',
  about: 'From now on, sessions and service keys from before the restore are refused until they are confirmed.',
  options: { why: WHY },
  examples: ['restore note --why "disk failure, backup of 3 May 02:00"'],
  async plan({ db, allow }, { options }) {
    const reason = parseReason(options.why);
    const actor = await allow('custody');
    const what = 'sessions and service keys from before now';
    return {
      title: 'Record that this database was restored from a backup. This cannot be undone.',
      facts: [['why', reason]],
      changes: [{ what, before: 'valid', after: 'refused until florin restore confirm: people must log in again' }],
      async carryOut() {
        await db.tx((tx) => noteRestore(tx, reason, actor));
        return 'Recorded: sessions and service keys from before the restore are refused until they are confirmed (florin restore confirm).\n';
      },
    };
  },
});

const list = verb({
  summary: 'Shows the restores: when, why, and what is not confirmed yet',
  reads: true,
  async run({ db }) {
    const restores = await listRestores(db);
    const json = restores.map(({ notedAt, reason, unconfirmed }) => ({ noted_at: notedAt, reason, unconfirmed }));
    if (restores.length === 0) return { text: 'This database has no record of a restore.\n', json };
    const rows = restores.map((one) => [renderTime(one.notedAt), one.unconfirmed.join(', ') || '-', one.reason]);
    return { text: renderTable([['when', 'not confirmed', 'why'], ...rows]), json };
  },
});

const confirm = verb({
  summary: 'Makes keys or sessions from before the restore usable again',
  about:
    'Check florin key list first: keys that were revoked after the backup are not revoked in the restored database.',
  words: ['WHAT'],
  examples: ['restore confirm keys', 'restore confirm sessions'],
  async plan({ db, allow }, { words: [word] }) {
    const what = parseWord(word, 'WHAT', CREDENTIALS);
    const actor = await allow('keys');
    const open = (await listRestores(db)).filter((one) => one.unconfirmed.includes(what));
    if (open.length === 0) return 'There is nothing to confirm.\n';
    return {
      title: `Make all ${what} from before the restore usable again.`,
      facts: open.map((one) => ['restored', `${renderTime(one.notedAt)}: ${one.reason}`]),
      changes: [{ what, before: 'refused', after: 'usable' }],
      warning: `${what} that were ${what === 'keys' ? 'revoked' : 'ended'} after the backup are valid again: ${
        what === 'keys' ? 'florin key list shows the keys' : 'a thief may have one'
      }`,
      async carryOut() {
        const confirmed = await db.tx((tx) => confirmRestore(tx, what, actor));
        const done = what === 'keys' ? 'Keys' : 'Sessions';
        return confirmed > 0 ? `${done} from before the restore are usable again.\n` : 'There is nothing to confirm.\n';
      },
    };
  },
});

export default {
  about: 'After the database was restored from a backup. All steps: docs/operating/restore.md.',
  verbs: { note, list, confirm },
} satisfies Noun;
