/** Shared by all seeds of one process, because starting them takes longer than a whole seed. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningIssuer, startIssuer } from '../../../../sandbox/src/issuer/startIssuer.ts';
import { startTestSumsub } from '../../sumsub.ts';
import { openStandby, type WorldStandby } from './openStandby.ts';

export interface WorldStage {
  readonly issuer: RunningIssuer;
  /** It sends no webhooks by itself. */
  readonly sumsub: Awaited<ReturnType<typeof startTestSumsub>>;
  /**
   * Undefined: servers read from the primary alone. Their answers are the same, so a seed's story is too.
   */
  readonly standby: WorldStandby | undefined;
  /** For sockets. */
  readonly folder: string;
  close(): Promise<void>;
}

export async function openStage({ primaryUrl }: { primaryUrl?: string } = {}): Promise<WorldStage> {
  const folder = await mkdtemp(join(tmpdir(), 'florin-world-'));
  const issuer = await startIssuer({ keyFile: join(folder, 'key.json'), redirectUris: ['http://127.0.0.1/callback'] });
  const sumsub = await startTestSumsub();
  const standby = primaryUrl === undefined ? undefined : await openStandby(primaryUrl);
  return {
    issuer,
    sumsub,
    standby,
    folder,
    async close() {
      await issuer.stop();
      await sumsub.stop();
      await standby?.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
