import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem/utils';
import type { Chain, Hex, Rate, Rates } from '../../core/ports.ts';
import { dateOfSeconds } from '../../core/time.ts';
import type { Feed } from './feeds.ts';

const abi = parseAbi([
  'function decimals() view returns (uint8)',
  'function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
]);
const latestRoundData = encodeFunctionData({ abi, functionName: 'latestRoundData' });
const decimals = encodeFunctionData({ abi, functionName: 'decimals' });
/** The usual grace period: prices need this long to catch up after the sequencer is back. */
const SEQUENCER_GRACE_SECONDS = 3_600n;

/** Reads the prices of Chainlink's feeds on one blockchain, in one call. */
export function feedRates(
  chain: Chain,
  feeds: Readonly<Record<string, Feed>>,
  { sequencer, now = () => new Date() }: { sequencer?: Hex | undefined; now?: () => Date } = {},
): Rates {
  const pairs = Object.entries(feeds);
  const calls = pairs.flatMap(([, { address }]) => [
    { to: address, data: latestRoundData },
    { to: address, data: decimals },
  ]);
  if (sequencer) calls.push({ to: sequencer, data: latestRoundData });

  return {
    async read(onFault) {
      const answers = await chain.multicall(calls);
      if (sequencer) checkSequencer(answers.at(-1), now());
      return pairs.flatMap(([pair, { maxAgeSeconds }], i): Rate[] => {
        try {
          const { price, asOf } = readRound(answers[2 * i], answers[2 * i + 1]);
          return [{ pair, price, asOf, maxAgeSeconds, source: `chainlink:${chain.blockchain}` }];
        } catch (error) {
          onFault(pair, error as Error);
          return [];
        }
      });
    },
  };
}

function readRound(round: Hex | undefined, places: Hex | undefined): { price: string; asOf: Date } {
  if (!round || !places) throw new Error('the feed does not answer');
  const [, answer, , updatedAt] = decodeFunctionResult({ abi, functionName: 'latestRoundData', data: round });
  if (answer <= 0n) throw new Error('the feed returned no positive price');
  if (updatedAt === 0n) throw new Error('the round of the feed is not complete');
  const price = renderDecimal(answer, decodeFunctionResult({ abi, functionName: 'decimals', data: places }));
  return { price, asOf: dateOfSeconds(updatedAt) };
}

function checkSequencer(round: Hex | undefined, now: Date): void {
  if (!round) throw new Error('the feed of the sequencer does not answer');
  const [, isDown, since] = decodeFunctionResult({ abi, functionName: 'latestRoundData', data: round });
  const upSeconds = BigInt(Math.floor(now.getTime() / 1000)) - since;
  if (isDown !== 0n || upSeconds < SEQUENCER_GRACE_SECONDS)
    throw new Error('the sequencer is down or has just restarted');
}

export function renderDecimal(value: bigint, places: number): string {
  const digits = String(value).padStart(places + 1, '0');
  const fraction = digits.slice(digits.length - places).replace(/0+$/, '');
  return digits.slice(0, digits.length - places) + (fraction && `.${fraction}`);
}
