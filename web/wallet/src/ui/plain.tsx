/** Components without texts of their own. */
import type { ComponentChildren, JSX } from 'preact';
import { isAddress } from '../money/addresses.ts';
import { Link } from '../router.tsx';
import { Icon, type IconName } from './Icon.tsx';

export interface Inside {
  readonly children?: ComponentChildren;
}

type ButtonProps = Inside & {
  readonly variant?: 'main' | 'soft' | 'quiet' | 'grave';
  readonly icon?: IconName;
  readonly busy?: boolean;
  readonly disabled?: boolean;
  readonly onClick?: () => void;
  readonly type?: 'button' | 'submit';
  readonly label?: string;
};

export function Button({
  variant = 'soft',
  icon,
  busy,
  disabled,
  onClick,
  type = 'button',
  label,
  children,
}: ButtonProps) {
  return (
    <button
      type={type}
      className={`button ${variant}`}
      disabled={disabled}
      aria-busy={busy || undefined}
      aria-label={label}
      onClick={() => !busy && onClick?.()}
    >
      {busy ? <i className="spinner" aria-hidden="true" /> : icon && <Icon name={icon} size={20} />}
      {children}
    </button>
  );
}

export function Avatar({ name, large }: { readonly name: string; readonly large?: boolean }) {
  let sum = 0;
  for (const char of name) sum = (sum * 31 + char.codePointAt(0)!) % 360;
  return (
    <span className={large ? 'avatar large' : 'avatar'} style={{ '--hue': String(sum) }} aria-hidden="true">
      {isAddress(name) ? (
        <Icon name="link" size={large ? 28 : 20} />
      ) : name === '' ? (
        <Icon name="person" />
      ) : (
        name.slice(0, 1)
      )}
    </span>
  );
}

export const Bone = ({ kind = 'row' }: { readonly kind?: string }) => (
  <i className={`bone ${kind}`} aria-hidden="true" />
);

export const Empty = ({ icon, title, children }: Inside & { readonly icon: IconName; readonly title: string }) => (
  <div className="empty">
    <span className="empty-icon">
      <Icon name={icon} size={28} />
    </span>
    <b>{title}</b>
    <div>{children}</div>
  </div>
);

export function Row({ label, children }: Inside & { readonly label: string }) {
  return (
    <div className="fact">
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A menu entry that leads to another screen. */
export function MenuLink({
  to,
  icon,
  label,
  note,
}: {
  readonly to: string;
  readonly icon: IconName;
  readonly label: string;
  readonly note?: string | undefined;
}) {
  return (
    <Link className="menu-row" to={to}>
      <Icon name={icon} />
      <span>{label}</span>
      {note && <small>{note}</small>}
      <Icon name="next" size={18} />
    </Link>
  );
}

type FieldProps = Omit<JSX.InputHTMLAttributes<HTMLInputElement>, 'id' | 'label'> & {
  readonly id: string;
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly fault?: string | undefined;
};

export function Field({ id, label, hint, fault, ...input }: FieldProps) {
  const describedBy = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ');
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input {...input} id={id} aria-invalid={fault ? true : undefined} aria-describedby={describedBy || undefined} />
      {hint && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {fault && (
        <p className="wrong" id={`${id}-fault`} role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}

/** A choice of a few options, side by side. */
export function Choice<T extends string>({
  id,
  label,
  options,
  chosen,
  onChoose,
}: {
  readonly id: string;
  readonly label: string;
  readonly options: Readonly<Record<T, string>>;
  readonly chosen: T;
  readonly onChoose: (next: T) => void;
}) {
  return (
    <fieldset className="choice" aria-label={label}>
      {(Object.entries(options) as [T, string][]).map(([value, text]) => (
        <label key={value}>
          <input
            type="radio"
            name={id}
            className="unseen"
            checked={value === chosen}
            onChange={() => onChoose(value)}
          />
          {text}
        </label>
      ))}
    </fieldset>
  );
}
