/** Runs everything in a guide that is not a program: commands, their answers, settings. */
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { filesOf } from '../../../sandbox/src/rememberState.ts';
import type { SandboxState } from '../../../sandbox/src/startSandbox.ts';
import { eventually } from '../eventually.ts';
import { fetchChecked } from '../http/fetchChecked.ts';
import { checkSettings } from './checkSettings.ts';
import { findDifference } from './findDifference.ts';
import { PRINTS } from './programs.ts';
import type { Guide } from './readGuides.ts';
import { stopClients } from './runClient.ts';
import { type Answer, runShell, type Shell } from './runShell.ts';

interface World {
  readonly dataDir: string;
  readonly state: SandboxState;
  /** The folder in which the client is installed. */
  readonly consumer: string;
}

/** Guides show addresses and people that a sandbox replaces by its own; so does this. */
export function createFill({ dataDir, state }: Omit<World, 'consumer'>): (text: string) => string {
  const shown = JSON.parse(readFileSync(filesOf(dataDir).examples, 'utf8')) as Record<string, string>;
  const values = Object.entries({
    'http://127.0.0.1:8000': state.web3_url,
    'http://127.0.0.1:8001': state.backend_url,
    ...shown,
  });
  return (text) => values.reduce((done, [before, after]) => done.replaceAll(before, after), text);
}

/** On these pages the chain mines no blocks by itself, so that the reader sees each state of a payment. */
const STILL = ['pay-and-show.md'];

export async function runGuide(guide: Guide, world: World): Promise<void> {
  const { state, dataDir, consumer } = world;
  const chainUrl = state.chains[0]!.rpc_url;
  const clients = { consumer, backendUrl: state.backend_url, started: [] };
  const shell: Shell = { dataDir, chainUrl, clients, variables: { ISSUER: state.issuer_url, CHAIN: chainUrl } };
  const setMining = (running: boolean) =>
    fetch(`${chainUrl}/mining`, { method: 'POST', body: JSON.stringify({ running }) });
  const isStill = STILL.includes(guide.name);
  if (isStill) await setMining(false);
  try {
    await runBlocks(guide, shell, world);
  } finally {
    await stopClients(clients);
    if (isStill) await setMining(true);
  }
  const { WEBHOOK_ID: webhook, FLORIN_KEY: key } = shell.variables;
  // Nothing listens at its URL.
  if (webhook)
    await fetchChecked(`${state.backend_url}/api/v1/webhooks/${webhook}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${key}` },
    });
}

async function runBlocks(guide: Guide, shell: Shell, world: World): Promise<void> {
  const fill = createFill(world);
  let last: Answer | undefined;
  for (const [nth, { language, text, isNext }] of guide.blocks.entries()) {
    const filled = fill(text);
    const next = guide.blocks[nth + 1];
    const isAnswered = next?.language === 'json' && next.isNext;
    const before: Answer | undefined = isNext ? last : undefined;
    last = undefined;
    if (language === 'sh') {
      const answers = await runShell(filled, shell);
      last = answers.at(-1);
      // A refusal that the guide shows is compared below; everything else must succeed.
      for (const answer of isAnswered ? answers.slice(0, -1) : answers) expectSuccess(answer);
    } else if (language === 'json') await compareAnswer(JSON.parse(filled), before, world.state);
    else if (language === 'env') checkSettings(text);
    else if (language === 'ts' || language === 'js') expect(Object.keys(PRINTS)).toContain(guide.name);
    else throw new Error(`no test runs a block of "${language}"`);
  }
}

const expectSuccess = ({ command, status, text }: Answer) =>
  expect([command, status < 300 ? 'succeeds' : text]).toEqual([command, 'succeeds']);

/** A block that does not follow a command is not an answer; it only has to be valid JSON. */
async function compareAnswer(shown: object, answer: Answer | undefined, state: SandboxState): Promise<void> {
  if (!answer) return;
  let answered = JSON.parse(answer.text);
  // On a slow machine, the payment may take longer than the call has waited.
  if ('state' in shown && shown.state === 'COMPLETE' && answered.state !== 'COMPLETE')
    answered = await eventually(async () => {
      const asked = await fetchChecked(`${state.web3_url}/circle/transaction/${answered.transaction_id}`);
      const now = (await asked.json()) as { state: string };
      expect(now.state).toBe('COMPLETE');
      return now;
    });
  if (!('status' in shown || 'detail' in shown)) expectSuccess(answer);
  expect([answer.command, findDifference(shown as never, answered)]).toEqual([answer.command, undefined]);
}
