/** Shared by all seeds of one process: the issuer, because starting it takes longer than a whole seed. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningIssuer, startIssuer } from '../../../../sandbox/src/issuer/startIssuer.ts';

export interface WorldStage {
  readonly issuer: RunningIssuer;
  /** For sockets. */
  readonly folder: string;
  close(): Promise<void>;
}

export async function openStage(): Promise<WorldStage> {
  const folder = await mkdtemp(join(tmpdir(), 'florin-world-'));
  const issuer = await startIssuer({ keyFile: join(folder, 'key.json'), redirectUris: ['http://127.0.0.1/callback'] });
  return {
    issuer,
    folder,
    async close() {
      await issuer.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
