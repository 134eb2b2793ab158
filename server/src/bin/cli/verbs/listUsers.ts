import { KYC_STATUSES, listPeople } from '../../../customers/listPeople.ts';
import { type Answer, verb } from '../../program/command.ts';
import { misused } from '../../program/faults.ts';
import { cutPage, describeNext, PAGE, parseChoice, parseConditions, SPAN } from '../../program/listing.ts';
import { findUserId } from '../../program/lookups.ts';
import { renderTime } from '../../program/render.ts';

export const list = verb({
  summary: 'Lists people, newest first: by name, day, identity check, pause',
  about: `Conditions can be combined. --day, --since and --until are about the first login. For all about one person: florin user show.`,
  options: {
    name: { type: 'string', value: 'TEXT', summary: 'a part of the username or of the e-mail address' },
    kyc: { type: 'string', value: 'STATUS', summary: KYC_STATUSES.join(', ') },
    state: { type: 'string', value: 'STATE', summary: 'paused or closed' },
    ...SPAN,
    ...PAGE,
  },
  reads: true,
  examples: ['user list --name ada', 'user list --kyc pending', 'user list --state paused'],
  async run({ db }, { options }): Promise<Answer> {
    const { name, kyc, state } = options;
    if (name?.trim() === '') throw misused('--name needs at least one letter');
    const kycStatus = parseChoice('--kyc', kyc, KYC_STATUSES);
    const only = parseChoice('--state', state, ['paused', 'closed']);
    const { limit, after, ...span } = await parseConditions(db, options);
    const found = await listPeople(db, {
      ...span,
      name: name?.trim().replace(/^@/, ''),
      kycStatus,
      only,
      after: after === undefined ? undefined : await findUserId(db, after),
      limit: limit + 1,
    });
    const { rows: people, next } = cutPage(found, limit, ({ userId }) => userId);
    const text = people.map(({ userId, username, email, kycStatus, createdAt, closedAt, isPaused }) => {
      const facts = [`identity check ${kycStatus}`, ...(closedAt ? ['CLOSED'] : isPaused ? ['PAUSED'] : [])];
      const names = [username ?? 'without a username', ...(email === null ? [] : [email])];
      return `${renderTime(createdAt)}  ${userId}  ${facts.join(', ')}\n${' '.repeat(25)}${names.join(', ')}\n`;
    });
    return {
      text: (text.join('') || 'No matching people.\n') + describeNext({ next }),
      json: {
        users: people.map((one) => ({
          user_id: one.userId,
          username: one.username,
          email: one.email,
          kyc_status: one.kycStatus,
          created_at: one.createdAt,
          closed_at: one.closedAt,
          is_paused: one.isPaused,
        })),
        next: next ?? null,
      },
    };
  },
});
