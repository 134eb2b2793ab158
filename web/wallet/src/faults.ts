/** Error messages for people: what happened, whether money moved, what to do. */
import { FlorinError } from '@florin/client';
import { showAmount } from './money/amounts.ts';
import { findText, language, say, showTime, t } from './text/text.ts';

interface Described {
  readonly title: string;
  /** A sentence that says what happened, and whether money moved. */
  readonly text: string;
  readonly advice?: string | undefined;
  readonly reference?: string | undefined;
  readonly to?: { readonly path: string; readonly label: string } | undefined;
}

const LEADS: Readonly<Record<string, { readonly path: string; readonly label: string }>> = {
  'balance.insufficient': { path: '/receive', label: 'start.receive' },
  'kyc.required': { path: '/verify', label: 'fault.verify' },
  'limit.exceeded': { path: '/limits', label: 'fault.limits' },
  'username.needed': { path: '/settings', label: 'fault.name' },
};

export function describeFault(error: unknown): Described {
  if (!(error instanceof FlorinError)) return { title: t('fault.unknown'), text: t('fault.unknown.text') };
  const reference = error.requestId?.slice(0, 13);
  if (error.status === 0) {
    const text = error.outcomeUnknown ? t('fault.unsure') : t('fault.lost.text');
    return { title: t('fault.lost'), text, advice: t('fault.lost.advice'), reference };
  }
  const { problem } = error;
  const shown: Record<string, string> = {};
  for (const name of ['available', 'held', 'owed', 'left', 'maximum'] as const) {
    const value = problem?.[name];
    if (typeof value === 'string' && /^-?\d+(\.\d{1,6})?$/.test(value)) shown[name] = showAmount(value);
  }
  for (const name of ['resets_at', 'available_at'] as const) {
    const value = problem?.[name];
    if (typeof value === 'string') shown[name] = showTime(value);
  }
  for (const name of ['open_payments', 'open_requests', 'open_payouts'] as const)
    shown[name] = String(problem?.[name] ?? '');
  shown.reason = say(String(problem?.reason ?? ''));
  const lead = LEADS[error.code];
  // For a code that this wallet does not know, show the service's own message, if the person reads English.
  const isEnglish = language.get() === 'en';
  const title = isEnglish ? error.title : t('fault.refused');
  const text = isEnglish ? error.detail : t('fault.refused.text');
  return {
    title: findText(`code.${error.code}`, shown) ?? title,
    text: `${findText(`code.${error.code}.text`, shown) ?? text} ${t(error.outcomeUnknown ? 'fault.unsure' : 'fault.notPaid')}`,
    advice: findText(`code.${error.code}.advice`, shown),
    reference,
    to: lead && { path: lead.path, label: t(lead.label) },
  };
}
