/** A plan changes nothing, is carried out only as it was shown, and waits for a person. */
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { argumentsOf } from '../../sandbox/src/processes.ts';
import { asAdmin, urlAs } from '../support/database.ts';
import { openRefunds, type RefundsWorld } from '../support/ledger/openRefunds.ts';
import { operate, operateLate, planOf } from '../support/operate.ts';
import type { Person } from '../support/payments.ts';
import { onePart } from '../support/run/thorough.ts';
import { HOME } from '../support/values.ts';

let world: RefundsWorld;
let [payer, shop] = [] as unknown as [Person, Person];
beforeAll(async () => {
  world = await openRefunds();
  [payer, shop] = await world.meet();
});
afterAll(() => world.stop());

const type = (who: keyof RefundsWorld['operators'], ...args: string[]) => operate(world.operators[who], ...args);
/** Anna agrees to her plan after Rita has typed something else. */
const afterRita = (hers: readonly string[], ...annas: string[]) =>
  operateLate(world.operators.anna, () => type('rita', ...hers), ...annas);
const OUTDATED = /^Nothing was changed: something has changed since this plan was made/;
const WHY = ['--why', 'x'];

describe('a plan that no longer holds is not carried out:', () => {
  it('of a service key', async () => {
    await type('anna', 'key', 'create', 'robot', '--scope', 'read,send', '--user', payer.username, '--day', '500');
    const meanwhile = () => type('anna', 'key', 'change', 'robot', '--day', '100', ...WHY);
    const change = ['key', 'change', 'robot', '--month', '900', ...WHY];
    await expect(operateLate(world.operators.anna, meanwhile, ...change)).rejects.toThrow(OUTDATED);
    const shown = await type('anna', 'key', 'list');
    expect(shown).toContain('day 100');
    expect(shown).not.toContain('month 900');
    await type('anna', ...change);
    expect(await type('anna', 'key', 'list')).toContain('day 100, month 900');
  });

  it('of a tier', async () => {
    const change = ['limit', 'set', 'stopped', '--day', '1000', ...WHY];
    await expect(afterRita(['limit', 'set', 'stopped', '--payment', '7', ...WHY], ...change)).rejects.toThrow(OUTDATED);
    await expect(afterRita(['limit', 'set', 'stopped', '--day', '999', ...WHY], ...change)).rejects.toThrow(OUTDATED);
    expect(await type('anna', 'limit', 'list')).toMatch(/stopped +7 +999 /);
    await afterRita(['limit', 'set', 'verified', '--count', '999', ...WHY], ...change);
    expect(await type('anna', 'limit', 'list')).toMatch(/stopped +7 +1000 /);
  });

  it('of the tier of a status', async () => {
    const give = ['limit', 'give', 'revoked', 'verified', ...WHY];
    await expect(afterRita(['limit', 'give', 'revoked', 'unverified', ...WHY], ...give)).rejects.toThrow(OUTDATED);
    await expect(afterRita(['limit', 'set', 'verified', '--count', '900', ...WHY], ...give)).rejects.toThrow(OUTDATED);
    expect(await type('anna', 'limit', 'list')).toMatch(/unverified .*revoked/);
    await afterRita(['limit', 'give', 'needs_input', 'unverified', ...WHY], ...give);
    expect(await type('anna', 'limit', 'list')).toMatch(/\nverified .*revoked/);
  });

  it('of a webhook', async () => {
    const url = 'https://shop.example.com/hooks';
    await type('anna', 'webhook', 'create', url);
    const change = ['webhook', 'change', url, '--type', 'payment.*'];
    const meanwhile = () => type('anna', 'webhook', 'change', url, '--state', 'off');
    await expect(operateLate(world.operators.anna, meanwhile, ...change)).rejects.toThrow(OUTDATED);
    expect(await type('anna', 'webhook', 'list')).toMatch(/types +\*\n(?:.+\n)*state +off/);
    expect(await type('anna', ...change)).toMatch(/types +payment\.\*/);
  });

  it('of a refund of all that is left: never less than was shown', async () => {
    const id = await world.pay(payer, shop, '10');
    const part = ['payment', 'refund', id, '--amount', '4', ...WHY];
    await expect(afterRita(part, 'payment', 'refund', id, ...WHY)).rejects.toThrow('only 6 USDC of it can still be');
    expect(await type('anna', 'payment', 'refund', id, ...WHY)).toMatch(/^Refunded: 6 USDC/);
  });

  it('of a refund of all that is left: never more than was shown', async () => {
    const id = await world.pay(payer, shop, '10');
    const proposed = await type('rita', 'payment', 'refund', id, '--amount', '4', '--treasury', ...WHY);
    const refundId = /approve-refund (\S+)/.exec(proposed)![1]!;
    const rest = ['payment', 'refund', id, ...WHY];
    expect(await planOf(world.operators.anna, ...rest)).toMatch(/4 USDC of 10 USDC .* → 10 USDC/);
    const said = await afterRita(['payment', 'deny-refund', refundId, ...WHY], ...rest);
    expect(said).toMatch(/^Refunded: 6 USDC/);
  });
});

describe('a command that would change nothing says so instead of asking:', () => {
  it('a repeated refund', async () => {
    const id = await world.pay(payer, shop, '10');
    const all = ['payment', 'refund', id, ...WHY];
    const [, refundId] = /in payment (\S+)\./.exec(await type('anna', ...all))!;
    await expect(planOf(world.operators.anna, ...all)).rejects.toThrow('asks nothing');
    expect(await type('anna', ...all)).toBe(`Already refunded: 10 USDC, in payment ${refundId}.\n`);
    await expect(planOf(world.operators.anna, 'payment', 'refund', id, '--why', 'y')).rejects.toThrow(/fully refunded/);
  });

  it('a repeated proposal, and one that was denied', async () => {
    const id = await world.pay(payer, shop, '10');
    const all = ['payment', 'refund', id, '--treasury', ...WHY];
    const said = await type('anna', ...all);
    expect(await type('anna', ...all)).toBe(said);
    await expect(planOf(world.operators.anna, ...all)).rejects.toThrow('asks nothing');
    await type('rita', 'payment', 'deny-refund', /approve-refund (\S+)/.exec(said)![1]!, ...WHY);
    await expect(planOf(world.operators.anna, ...all)).rejects.toThrow(/it was denied/);
  });

  it('a denial of a payment that waits for no one', async () => {
    const id = await world.pay(payer, shop, '1');
    await expect(planOf(world.operators.anna, 'payment', 'deny', id, ...WHY)).rejects.toThrow(
      /does not wait for approval/,
    );
    await expect(planOf(world.operators.anna, 'payment', 'cancel', id)).rejects.toMatchObject({
      code: 'payment.ended',
    });
  });
});

describe('without a terminal and without --yes, the program exits with 2 and changes nothing:', () => {
  /** A digest of each table's rows. */
  async function digest(): Promise<unknown> {
    const tables = await asAdmin<{ name: string }>(
      world.florin.databaseUrl,
      `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`,
    );
    const parts = tables.map(
      ({ name }) =>
        `SELECT '${name}' AS name, md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), '')) FROM ${name} t`,
    );
    return asAdmin(world.florin.databaseUrl, `${parts.join(' UNION ALL ')} ORDER BY 1`);
  }

  const program = argumentsOf('server/src/bin/florin');
  const run = (args: readonly string[]): Promise<{ code: unknown; out: string; err: string }> =>
    new Promise((done) => {
      const env = { PATH: process.env.PATH!, DATABASE_URL: urlAs(world.florin.databaseUrl, 'anna') };
      execFile(process.execPath, [...program, ...args], { cwd: tmpdir(), env }, (error, out, err) =>
        done({ code: error ? (error as { code?: unknown }).code : 0, out, err }),
      );
    });

  const commands: readonly [string, (id: string) => string[]][] = [
    ['pause add', () => ['user:payer_0', ...WHY]],
    ['limit set', () => ['verified', '--day', '1', ...WHY]],
    ['limit give', () => ['rejected', 'verified', ...WHY]],
    ['key create', () => ['bot', '--scope', 'read,send', '--any-wallet']],
    ['webhook create', () => ['https://shop.example.com/other']],
    ['operator add', () => ['someone', '--role', 'admin']],
    ['operator remove', () => [new URL(urlAs(world.florin.databaseUrl, 'rita')).username]],
    ['payment refund', (id) => [id, ...WHY]],
    ['user logout', () => ['payer_0', ...WHY]],
    ['books correct', () => [HOME, '--more', '1', '--force', ...WHY]],
  ];
  it.each(onePart(commands, 3))('%s', async (command, rest) => {
    const id = await world.pay(payer, shop, '1');
    const before = await digest();
    const { code, out, err } = await run([...command.split(' '), ...rest(id)]);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/\nNothing was changed: this command asks .* repeat the command with\s+--yes\n$/s);
    expect(await digest()).toEqual(before);
  });
});
