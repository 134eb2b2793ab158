/** The frame of a screen, its parts, and what is shown while there is nothing to show. */
import type { ComponentChildren } from 'preact';
import { Link, useTitle } from '../../../wallet/src/router.tsx';
import { Icon, type IconName } from '../../../wallet/src/ui/Icon.tsx';
import { Bone, Button, Empty } from '../../../wallet/src/ui/plain.tsx';
import { ConsoleFault } from '../api.ts';
import type { Shown } from '../reads.ts';
import { findText, t } from '../text/text.ts';
import { showExact } from './show.tsx';

interface Inside {
  readonly children?: ComponentChildren;
}

export function Page({
  title,
  above,
  actions,
  children,
}: Inside & {
  readonly title: string;
  /** Where this screen belongs, with a way there. */
  readonly above?: { readonly to: string; readonly label: string };
  readonly actions?: ComponentChildren;
}) {
  useTitle(`${title} · ${t('console')}`);
  return (
    <div className="screen">
      <header className="page-head">
        {above && (
          <Link className="above" to={above.to}>
            <Icon name="back" size={16} />
            {above.label}
          </Link>
        )}
        <h1 tabIndex={-1}>{title}</h1>
        {actions && <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** A titled part of a screen. */
export function Panel({
  title,
  note,
  actions,
  children,
}: Inside & { readonly title: string; readonly note?: ComponentChildren; readonly actions?: ComponentChildren }) {
  return (
    <section className="panel">
      <header className="panel-head">
        <h2>{title}</h2>
        {actions}
      </header>
      {note && <p className="hint">{note}</p>}
      {children}
    </section>
  );
}

export const Facts = ({ children }: Inside) => <dl className="facts">{children}</dl>;

/** Left out when there is nothing to say. */
export function Fact({ label, children }: Inside & { readonly label: string }) {
  if (children === undefined || children === null || children === '' || children === false) return null;
  return (
    <div className="fact">
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

export const Loading = ({ rows = 4 }: { readonly rows?: number }) => (
  <div className="bones" role="status">
    <span className="unseen">{t('loading')}</span>
    {Array.from({ length: rows }, (_, nth) => (
      <Bone key={nth} />
    ))}
  </div>
);

/** What happened, what the server said, and the reference for its log. */
export function Fault({ error, again }: { readonly error: unknown; readonly again?: (() => void) | undefined }) {
  const fault = error instanceof ConsoleFault ? error : undefined;
  const code = fault?.status === 0 ? 'lost' : (fault?.code ?? 'unknown');
  const detail = fault && fault.status !== 0 ? fault.problem.detail : undefined;
  const reference = fault?.problem.request_id;
  return (
    <div className="fault" role="alert">
      <Icon name="warn" />
      <div>
        <b>{findText(`fault.${code}`) ?? fault?.problem.title ?? t('fault.unknown')}</b>
        {detail && (
          <p>
            <bdi>{detail}</bdi>
          </p>
        )}
        {fault?.retryAfterSeconds !== undefined && (
          <p>{t('fault.wait', { seconds: String(fault.retryAfterSeconds) })}</p>
        )}
        {reference && (
          <p className="reference">
            {t('reference')} <code>{reference}</code>
          </p>
        )}
        {again && (
          <div className="fault-actions">
            <Button onClick={again}>{t('tryAgain')}</Button>
          </div>
        )}
      </div>
    </div>
  );
}

/** The parts of a screen that show what was read: bones, a fault, or the data, with a line when it is out of date. */
export function Reading<T>({
  read,
  children,
}: {
  readonly read: Shown<T>;
  readonly children: (data: T) => ComponentChildren;
}) {
  const { data, error, at, again } = read;
  if (data === undefined) return error === undefined ? <Loading /> : <Fault error={error} again={again} />;
  return (
    <>
      {error !== undefined && (
        <p className="banner" role="status">
          <Icon name="warn" size={20} />
          <span>{t('stale', { at: at === undefined ? '…' : showExact(new Date(at).toISOString()) })}</span>
        </p>
      )}
      {children(data)}
    </>
  );
}

export const Nothing = ({
  title,
  icon = 'check',
  children,
}: Inside & { readonly title: string; readonly icon?: IconName }) => (
  <Empty icon={icon} title={title}>
    {children}
  </Empty>
);
