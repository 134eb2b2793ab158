/** `florin … show`: an operator can use every reference that a customer sees. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../server/src/bin/program/faults.ts';
import { idFromKey } from '../../server/src/core/ids.ts';
import { asAdmin } from '../support/database.ts';
import { ADA, ADAS_WALLET, HASH, OUTSIDE, PENDING_HASH, SENDER, useDesk } from '../support/people/useDesk.ts';

const desk = useDesk();

describe('every reference that a customer can see', () => {
  const receipt = (id: string) => `rcpt_${id.replaceAll('-', '')}`;
  /** What is typed, and which noun shows it; undefined: none does. */
  const REFERENCES: readonly [
    name: string,
    find: () => string | Promise<string>,
    shownBy: readonly Noun[],
    says: () => string,
  ][] = [
    ['id of a payment', () => desk.ids.first, ['payment'], () => desk.ids.first],
    ['id in capitals', () => desk.ids.first.toUpperCase(), ['payment'], () => desk.ids.first],
    ['receipt', () => receipt(desk.ids.first), ['payment'], () => desk.ids.first],
    ['first eight digits', () => desk.ids.first.slice(0, 8), ['payment'], () => desk.ids.first],
    ['start of a receipt', () => receipt(desk.ids.first).slice(0, 15), ['payment'], () => desk.ids.first],
    [
      'link of a payment',
      () => `https://pay.example.com/payments/${desk.ids.first}?new=1`,
      ['payment'],
      () => desk.ids.first,
    ],
    [
      'link of a request',
      () => `https://pay.example.com/requests/${desk.ids.request}`,
      ['payment'],
      () => 'open; a request for money',
    ],
    ['event', () => findEvent(desk.ids.first), ['payment'], () => desk.ids.first],
    ['id of a refused payment', () => desk.ids.refused, ['payment'], () => 'balance.insufficient'],
    ['id of a deposit', () => desk.ids.deposit, ['payment', 'deposit'], () => desk.ids.deposit],
    ['hash of a deposit', () => HASH, ['payment', 'deposit'], () => desk.ids.deposit],
    ['hash of a pending deposit', () => PENDING_HASH, ['deposit'], () => 'when its block is final'],
    ['id of a send', () => desk.ids.send, ['payment', 'payout'], () => desk.ids.send],
    ['reference of a paid row', () => 'rent 7', ['payment', 'payout'], () => desk.ids.send],
    ['reference of an unpaid row', () => 'never', ['payout'], () => 'never'],
    ['id of a payout', () => desk.ids.payout, ['payout'], () => desk.ids.payout],
    ['user id', () => desk.ada.userId, ['user'], () => desk.ada.userId],
    ['name with an at sign', () => `@${ADA}`, ['user'], () => desk.ada.userId],
    ['wallet id', () => ADAS_WALLET.id, ['user'], () => desk.ada.userId],
    ['own address', () => ADAS_WALLET.address, ['user', 'deposit'], () => ADAS_WALLET.address],
    [
      'QR code',
      () => `ethereum:0x${'11'.repeat(20)}@1/transfer?address=${ADAS_WALLET.address}&uint256=1`,
      ['user', 'deposit'],
      () => ADAS_WALLET.address,
    ],
    ['session', () => desk.ids.session, ['user'], () => desk.ada.userId],
    ['address of a sender', () => SENDER, ['deposit'], () => desk.ids.deposit],
    ['address outside', () => OUTSIDE, [], () => ''],
    ['unknown id', () => randomUUID(), [], () => ''],
    ['start of a request id', () => randomUUID().slice(0, 13), [], () => ''],
    ['unknown word', () => 'no_such_thing', [], () => ''],
  ];
  const NOUNS = ['payment', 'deposit', 'user', 'payout'] as const;
  type Noun = (typeof NOUNS)[number];

  async function findEvent(id: string): Promise<string> {
    const [row] = await desk.db.query<{ event_id: string }>(
      'SELECT e.event_id FROM transfers t, find_event(t.seq) e WHERE t.transfer_id = $1',
      [id],
    );
    return row!.event_id;
  }

  it.each(REFERENCES)('%s', async (_, find, shownBy, says) => {
    const text = await find();
    for (const noun of NOUNS) {
      const said = await desk.florin(noun, 'show', text).catch((error: Error) => error);
      if (shownBy.includes(noun)) {
        expect(said, noun).toEqual(expect.stringContaining(says()));
        continue;
      }
      expect(said, noun).toMatchObject({ exitCode: EXIT.unknown });
      // The error names a command; that command shows it.
      const [, command] =
        /: florin ((?:payment|deposit|user|payout) (?:show|list) .+)$/.exec((said as Error).message) ?? [];
      if (shownBy.length === 0 && text !== OUTSIDE) expect(command, noun).toBeUndefined();
      else if (command === undefined) expect.fail(`${noun}: ${(said as Error).message}`);
      else expect(await desk.florin(...command.split(' ')), noun).toContain(says());
    }
  });

  it('finds a row by its reference although an operator has imported its payment under another id', async () => {
    const imported = randomUUID();
    await asAdmin(
      desk.adminUrl,
      `SET session_replication_role = replica;
       UPDATE payout_items SET payment_id = '${imported}' WHERE reference = 'never';
       INSERT INTO unexplained_moves (asset_id, tx_hash, log_index, wallet_id, to_address, amount, block_number, imported_as)
       VALUES (1, '0x1', 1, gen_random_uuid(), '0x1', 1, 1, '${imported}')`,
    );
    expect(await desk.florin('payout', 'show', 'never')).toContain(desk.ids.payout);
  });

  it('of several payments shows them all', async () => {
    const twin = desk.ids.first.slice(0, 8);
    await asAdmin(
      desk.adminUrl,
      `SET session_replication_role = replica;
       UPDATE transfers SET transfer_id = ('${twin}' || substr(transfer_id::text, 9))::uuid WHERE transfer_id = '${desk.ids.second}'`,
    );
    const said = await desk.florin('payment', 'show', twin);
    expect(said).toContain(desk.ids.first);
    expect(said).toContain(twin + desk.ids.second.slice(8));
  });

  it('does not make a command change something that is named by a part', async () => {
    for (const part of [desk.ids.send.slice(0, 8), 'rent 7', `@${ADA}`])
      await expect(desk.florin('payment', 'cancel', part)).rejects.toMatchObject({ exitCode: EXIT.usage });
    expect(await desk.florin('payment', 'list', '--state', 'open')).toContain(`${desk.ids.send}  INITIATED`);
  });
});

describe('a call', () => {
  const folder = mkdtempSync(join(tmpdir(), 'florin-calls-'));
  const log = join(folder, 'server.log');
  afterAll(() => rmSync(folder, { recursive: true }));
  const [paid, refused, other] = ['0b1e7c52-aaaa', '0b1e7c52-bbbb', 'from.the-client_1'];
  const line = (more: object) =>
    `${JSON.stringify({ level: 'info', time: '2026-03-02T09:20:11.400Z', api: 'backend', method: 'POST', operation: 'send_usdc', status: 200, ms: 3.21, msg: 'request', ...more })}\n`;
  const writeLog = () => {
    writeFileSync(`${log}.1`, line({ request_id: paid, payment_id: desk.ids.first }));
    const refusal = { request_id: refused, status: 409, code: 'balance.insufficient', answer: '{"available":"1"}' };
    const noise = line({ request_id: other, msg: 'call failed' });
    const half = '{"request_id":"0b1e7c52-cut';
    writeFileSync(log, line({ request_id: other }) + noise + line(refusal) + half);
  };

  it('is explained by its request id: with what became of its payment, and what to do', async () => {
    writeLog();
    const shown = await desk.florin('call', 'show', paid!, '--log', log);
    expect(shown).toMatch(/operation +send_usdc of the Backend API\n/);
    expect(shown).toContain(`${desk.ids.first}: payment COMPLETE, 12.5 USDC`);
    const explained = await desk.florin('call', 'show', refused!, '--log', log);
    expect(explained).toMatch(/answer +409 balance\.insufficient: Not enough USDC\n/);
    expect(explained).toMatch(/a retry +the same call is refused again\n/);
    expect(explained).toContain('{"available":"1"}');
    const [json] = JSON.parse(await desk.florin('call', 'show', other!, '--log', log, '--json'));
    expect(json).toMatchObject({ request_id: other, outcome: null });
  });

  it('is found by the start of its id; several are listed', async () => {
    writeLog();
    expect(await desk.florin('call', 'show', refused!.slice(0, 12), '--log', log)).toContain('409');
    const both = await desk.florin('call', 'show', '0b1e7c52', '--log', log);
    expect(both).toMatch(/^These are 2 calls:/);
    for (const id of [paid, refused]) expect(both).toContain(id);
  });

  it.each([
    ['an unknown id', ['call', 'show', randomUUID(), '--log', log], EXIT.unknown],
    ['a short id', ['call', 'show', '0b1e7', '--log', log], EXIT.usage],
    ['no log', ['call', 'show', '0b1e7c52'], EXIT.usage],
    ['a key that was not used', ['call', 'show', 'unused', '--caller', ADA], EXIT.unknown],
    ['an unknown caller', ['call', 'show', 'order-1', '--caller', 'nobody_at_all'], EXIT.unknown],
  ])('%s is refused', async (_, words, exitCode) => {
    await expect(desk.florin(...words)).rejects.toMatchObject({ exitCode });
  });

  it('is explained by its Idempotency-Key without a log, only for the caller who used it', async () => {
    const [sent, named] = ['/api/v1/send_usdc', '/api/v1/set_username'].map((route) =>
      idFromKey(desk.ada.userId, route, 'order-1'),
    );
    await asAdmin(
      desk.adminUrl,
      `INSERT INTO refusals (payment_id, receiver, amount, code, details, created_at)
       VALUES ($1, 'bob', 1, 'limit.exceeded', '{}', now())`,
      [sent],
    );
    const stored = `INSERT INTO idempotency_records (record_id, request_hash, answer) VALUES ($1, $2, '{}')`;
    await asAdmin(desk.adminUrl, stored, [named, Buffer.alloc(32)]);
    const shown = await desk.florin('call', 'show', 'order-1', '--caller', ADA);
    expect(shown).toMatch(new RegExp(`send_usdc +${sent} +refused at [^]*limit\\.exceeded`));
    expect(shown).toMatch(new RegExp(`set_username +${named} +answered at`));
    for (const caller of ['robot', 'bob_the_builder_has_a_long_one'])
      await expect(desk.florin('call', 'show', 'order-1', '--caller', caller)).rejects.toMatchObject({
        exitCode: EXIT.unknown,
      });
  });
});
