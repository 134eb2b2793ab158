/**
 * Measures the duration of a first login: the person, their session and the wallet that the signer makes, in a whole
 * sandbox with durable PostgreSQL. Logins run one after another, and then eight concurrently. For comparison: logins of
 * existing people, which do not involve the signer.
 */
import { finish } from './support/finish.ts';
import { percentile, round } from './support/ledgerWorld.ts';
import { sized } from './support/short.ts';
import { forEachAtOnce, post, withBenchSandbox } from './support/startBenchSandbox.ts';

const PEOPLE = Number(process.env.BENCH_PEOPLE ?? sized(400, 8));
const WARM_UP = sized(40, 2);

export default async function benchLogin(): Promise<void> {
  await withBenchSandbox(async ({ state }) => {
    const readToken = async (name: string) =>
      (await fetch(`${state.issuer_url}/id_token?email=${name}@bench.example`)).text();
    /** Milliseconds of each login; the tokens are fetched before the clock starts. */
    async function measure(names: readonly string[], atOnce: number): Promise<number[]> {
      const tokens = await Promise.all(names.map(readToken));
      const took: number[] = [];
      await forEachAtOnce(tokens, atOnce, async (idToken) => {
        const began = performance.now();
        const { wallet } = await post(`${state.backend_url}/api/v1/login`, { id_token: idToken });
        took.push(performance.now() - began);
        if (!(wallet as { address: string | null }).address) throw new Error('the signer did not answer in time');
      });
      return took.sort((a, b) => a - b);
    }
    const people = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix}${n}`);
    await measure(people('warm', WARM_UP), 4);
    const first = await measure(people('one', PEOPLE), 1);
    const eight = await measure(people('eight', PEOPLE), 8);
    const again = await measure(people('one', PEOPLE), 1);
    console.log('                          p50 ms   p99 ms   longest ms');
    const print = (name: string, took: readonly number[]) => {
      const cells = [percentile(took, 0.5), percentile(took, 0.99), Math.max(...took)];
      console.log(name.padEnd(24) + cells.map((ms, i) => String(round(ms, 1)).padStart([8, 9, 13][i]!)).join(''));
    };
    print('first login', first);
    print('first login, 8 concurrent', eight);
    print('later login', again);
    finish('login', {
      first_p50_ms: round(percentile(first, 0.5), 1),
      first_p99_ms: round(percentile(first, 0.99), 1),
      first_p99_ms_8: round(percentile(eight, 0.99), 1),
      later_p50_ms: round(percentile(again, 0.5), 1),
      later_p99_ms: round(percentile(again, 0.99), 1),
    });
  });
}
