/** Shared by all seeds of one process: the issuer, because starting it takes longer than a whole seed, and Sumsub. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningIssuer, startIssuer } from '../../../../sandbox/src/issuer/startIssuer.ts';
import { startTestSumsub } from '../../sumsub.ts';

export interface WorldStage {
  readonly issuer: RunningIssuer;
  /** It sends no webhooks by itself. */
  readonly sumsub: Awaited<ReturnType<typeof startTestSumsub>>;
  /** For sockets. */
  readonly folder: string;
  close(): Promise<void>;
}

export async function openStage(): Promise<WorldStage> {
  const folder = await mkdtemp(join(tmpdir(), 'florin-world-'));
  const issuer = await startIssuer({ keyFile: join(folder, 'key.json'), redirectUris: ['http://127.0.0.1/callback'] });
  const sumsub = await startTestSumsub();
  return {
    issuer,
    sumsub,
    folder,
    async close() {
      await issuer.stop();
      await sumsub.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
