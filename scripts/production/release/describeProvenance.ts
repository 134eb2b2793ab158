/**
 * Describes how the files of a release were made, in the form of SLSA (an in-toto statement). Anyone who builds that
 * commit again can compare the result.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

export const hashOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

export function describeProvenance(given: {
  readonly files: readonly string[];
  readonly version: string;
  readonly commit: string;
  /** The files of the commit were changed. */
  readonly isChanged: boolean;
  readonly lockFile: string;
  readonly startedAt: Date;
  readonly npm: string;
}): object {
  const { files, version, commit, isChanged, lockFile, startedAt, npm } = given;
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: files.map((file) => ({ name: basename(file), digest: { sha256: hashOf(file) } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'npm run release',
        externalParameters: { version },
        internalParameters: { node: process.version, npm, platform: `${process.platform}-${process.arch}` },
        resolvedDependencies: [
          { name: 'source', digest: { gitCommit: commit }, annotations: { changed: isChanged } },
          { name: 'package-lock.json', digest: { sha256: hashOf(lockFile) } },
        ],
      },
      runDetails: {
        builder: { id: 'npm run release' },
        metadata: { startedOn: startedAt.toISOString(), finishedOn: new Date().toISOString() },
      },
    },
  };
}
