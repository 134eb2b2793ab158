import type { Option } from './command.ts';
import { misused } from './faults.ts';

/** The option of every command whose reason goes into the audit log. */
export const WHY = {
  type: 'string',
  value: 'TEXT',
  summary: 'the reason, for the audit log',
} as const satisfies Option;

export function parseReason(text: string | undefined): string {
  const reason = text?.trim();
  if (!reason || reason.length > 500 || reason.includes('\0')) {
    throw misused('give a reason with --why, at most 500 characters');
  }
  return reason;
}
