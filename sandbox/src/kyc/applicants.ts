import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writePrivateFile } from '../writePrivateFile.ts';

/** The fields of `GET /resources/applicants/{id}/one` that Florin reads. */
export interface Applicant {
  readonly id: string;
  readonly createdAt: string;
  readonly externalUserId: string;
  readonly inspectionId: string;
  readonly type: 'individual';
  review: Review;
}

interface Review {
  readonly reviewId: string;
  readonly attemptId: string;
  readonly attemptCnt: number;
  readonly levelName: string;
  readonly createDate: string;
  readonly reviewDate?: string;
  readonly reviewStatus: string;
  readonly reviewResult?: ReviewResult;
}

export interface ReviewResult {
  readonly reviewAnswer: 'GREEN' | 'RED';
  readonly reviewRejectType?: 'RETRY' | 'FINAL';
  readonly rejectLabels?: readonly string[];
  readonly moderationComment?: string;
  readonly clientComment?: string;
}

export interface Applicants {
  list(): readonly Applicant[];
  find(id: string): Applicant | undefined;
  ofUser(externalUserId: string): Applicant | undefined;
  create(externalUserId: string, levelName: string): Applicant;
  /** A new state of the check. */
  review(applicant: Applicant, reviewStatus: string, reviewResult?: ReviewResult): void;
  remove(applicant: Applicant): void;
}

/** Sumsub's format of times, in UTC. */
export const stamp = (at = new Date()): string => at.toISOString().replace('T', ' ').replace('Z', '');
const newHexId = (): string => randomBytes(12).toString('hex');

/** Stored in a file, because the server's database also has the applicants after a restart. */
export function openApplicants(file: string | undefined): Applicants {
  const all = new Map<string, Applicant>(read(file).map((applicant) => [applicant.id, applicant]));
  const save = () => {
    if (file) writePrivateFile(file, `${JSON.stringify([...all.values()], null, 2)}\n`);
  };
  const ofUser = (userId: string) => [...all.values()].find(({ externalUserId }) => externalUserId === userId);
  return {
    list: () => [...all.values()],
    find: (id) => all.get(id),
    ofUser,
    create(externalUserId, levelName) {
      const id = newHexId();
      const createdAt = stamp().slice(0, 19);
      const review: Review = {
        reviewId: randomUUID(),
        attemptId: randomUUID(),
        attemptCnt: 0,
        levelName,
        createDate: createdAt,
        reviewStatus: 'init',
      };
      const applicant: Applicant = {
        id,
        createdAt,
        externalUserId,
        inspectionId: newHexId(),
        type: 'individual',
        review,
      };
      all.set(id, applicant);
      save();
      return applicant;
    },
    review(applicant, reviewStatus, reviewResult) {
      const { reviewDate: _, reviewResult: __, ...rest } = applicant.review;
      const attemptCnt = rest.attemptCnt + (reviewStatus === 'pending' ? 1 : 0);
      applicant.review = {
        ...rest,
        attemptCnt,
        reviewStatus,
        ...(reviewResult && { reviewDate: stamp().slice(0, 19), reviewResult }),
      };
      save();
    },
    remove(applicant) {
      all.delete(applicant.id);
      save();
    },
  };
}

function read(file: string | undefined): Applicant[] {
  try {
    return file ? (JSON.parse(readFileSync(file, 'utf8')) as Applicant[]) : [];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
