import { z } from 'zod';
import { CIRCLE_CODES, CircleFault } from './circleFault.ts';
import { makeId } from './circleIds.ts';
import type { Circle, CircleAnswer } from './openCircle.ts';

const ATTEMPTS = 3;
const PAGE = 50;
const MOST_PAGES = 20;

const set = z.object({ id: z.guid(), custodyType: z.string().nullish(), name: z.string().nullish() });
const one = z.object({ walletSet: set });
const sets = z.object({ walletSets: z.array(set) });

/** Checks that Circle answers and accepts the API key. Throws the fault. */
export async function checkEntity(circle: Circle): Promise<void> {
  const path = '/v1/w3s/config/entity/publicKey';
  read(z.object({ publicKey: z.string() }), await circle.ask({ method: 'GET', path, attempts: 1 }));
}

/** Checks that Circle accepts our keys and has this wallet set. Throws the fault. */
export async function checkWalletSet(circle: Circle, walletSetId: string): Promise<void> {
  read(one, await circle.ask({ method: 'GET', path: `/v1/w3s/walletSets/${walletSetId}`, attempts: ATTEMPTS }));
}

/**
 * Returns the wallet set of this installation: the one with its name, or a new one. `seed` distinguishes installations
 * that share an account at Circle; it survives a restore of the database. Circle may not report the names of sets. Then
 * only a person can tell which one is ours, and a new set is created only if there is no set at all.
 */
export async function getWalletSet(circle: Circle, seed: string): Promise<string> {
  const name = `Florin ${seed.slice(0, 16)}`;
  const found = await findByName(circle, name);
  if (found) return found;
  const body = { name, idempotencyKey: makeId('wallet set', seed) };
  const path = '/v1/w3s/developer/walletSets';
  const answer = await circle.ask({ method: 'POST', path, body, isSealed: true, attempts: ATTEMPTS });
  return read(one, answer).walletSet.id;
}

async function findByName(circle: Circle, name: string): Promise<string | undefined> {
  let pageAfter: string | undefined;
  const nameless: string[] = [];
  for (let page = 0; page < MOST_PAGES; page++) {
    const query = { ...(pageAfter && { pageAfter }), pageSize: String(PAGE), order: 'ASC' };
    const answer = await circle.ask({ method: 'GET', path: '/v1/w3s/walletSets', query, attempts: ATTEMPTS });
    const { walletSets } = read(sets, answer);
    const found = walletSets.find((given) => given.name === name && given.custodyType !== 'ENDUSER');
    if (found) return found.id;
    nameless.push(...walletSets.filter((given) => !given.name && given.custodyType !== 'ENDUSER').map(({ id }) => id));
    pageAfter = walletSets.at(-1)?.id;
    // Circle decides the page size. Only an empty page marks the end.
    if (pageAfter !== undefined) continue;
    if (nameless.length === 0) return undefined;
    const says = `Circle has wallet sets (${nameless.slice(0, 3).join(', ')}) and does not say whether one is ours`;
    throw new CircleFault(`${says}: name it in FLORIN_CIRCLE_WALLET_SET`, {
      status: 409,
      code: CIRCLE_CODES.noWalletSet,
    });
  }
  throw new Error(`Circle has too many wallet sets to search: name ours in FLORIN_CIRCLE_WALLET_SET`);
}

function read<T>(schema: z.ZodType<T>, answer: CircleAnswer): T {
  if (answer.outcome !== 'accepted') throw answer.cause;
  const parsed = schema.safeParse(answer.data);
  if (!parsed.success) throw new CircleFault('Circle gave an unexpected answer');
  return parsed.data;
}
