import { parseGwei } from 'viem';
import type { Fee, Wallet } from '../records.ts';
import { type Call, findText } from './call.ts';
import { invalid, Refusal } from './refusal.ts';

/** The priority fee of each level, in gwei. */
export const LEVELS = { LOW: '1', MEDIUM: '1.5', HIGH: '2' } as const;
type Level = keyof typeof LEVELS;

const isLevel = (text: string): text is Level => Object.hasOwn(LEVELS, text);

/** Either a level, or prices in gwei. */
export function readFee(call: Call, { accountType }: Wallet): Fee & { level: string } {
  const [level, maxFee, priorityFee, gasPrice] = ['feeLevel', 'maxFee', 'priorityFee', 'gasPrice'].map((name) =>
    findText(call, name),
  );
  const gasLimit = findText(call, 'gasLimit') ?? null;
  if (gasLimit !== null && !/^\d{1,9}$/.test(gasLimit)) throw invalid('gasLimit', 'must be a number', gasLimit);
  if (gasLimit !== null && Number(gasLimit) < 21_000) throw new Refusal(400, 155233, 'the gas limit is too low');
  if (accountType === 'SCA' && (level === undefined || gasLimit !== null)) {
    throw new Refusal(400, 155232, 'a smart contract account must use feeLevel, and nothing else');
  }
  const hasPrice = maxFee !== undefined || priorityFee !== undefined || gasPrice !== undefined;
  if (level !== undefined) {
    if (!isLevel(level)) throw invalid('feeLevel', 'must be LOW, MEDIUM or HIGH', level);
    if (hasPrice)
      throw new Refusal(400, 155234, 'feeLevel cannot be used together with gasPrice, maxFee or priorityFee');
    return { level, gasLimit, maxFee: null, priorityFee: toWei('priorityFee', LEVELS[level]) };
  }
  if (!hasPrice || gasLimit === null) throw new Refusal(400, 155231, 'feeLevel, or gasLimit with prices, is required');
  if (gasPrice !== undefined) {
    const wei = toWei('gasPrice', gasPrice);
    return { level: '', gasLimit, maxFee: wei, priorityFee: wei };
  }
  if (maxFee === undefined || priorityFee === undefined)
    throw invalid('maxFee', 'and priorityFee are required together');
  return { level: '', gasLimit, maxFee: toWei('maxFee', maxFee), priorityFee: toWei('priorityFee', priorityFee) };
}

function toWei(name: string, gwei: string): string {
  if (!/^\d{1,9}(\.\d{1,9})?$/.test(gwei)) throw invalid(name, 'must be a decimal in gwei', gwei);
  return String(parseGwei(gwei));
}
