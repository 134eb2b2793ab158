import { useState } from 'react';
import { confirm, type Deed, NotConfirmed } from '../../money/passkeys.ts';
import { t } from '../../text/text.ts';
import { Icon } from '../../ui/Icon.tsx';
import { Button, Fault } from '../../ui/parts.tsx';

interface ConfirmProps {
  readonly deed: Deed;
  /** What is confirmed, in words. */
  readonly what: string;
  readonly onConfirmed: () => unknown;
}

/** A payment that waits for the person's passkey. */
export default function Confirm({ deed, what, onConfirmed }: ConfirmProps) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const ask = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await confirm(deed);
      await onConfirmed();
    } catch (caught) {
      setError(caught);
    }
    setBusy(false);
  };
  return (
    <>
      <div className="card confirm">
        <Icon name="key" size={32} />
        <p className="lead">{what}</p>
        <p className="hint">{t('passkey.confirm.text')}</p>
      </div>
      <Refused error={error} />
      <div className="foot">
        <Button variant="main" icon="key" busy={busy} onClick={() => void ask()}>
          {t('passkey.confirm')}
        </Button>
      </div>
    </>
  );
}

/** What the device or the service said against it. */
export function Refused({ error }: { readonly error: unknown }) {
  if (error === undefined) return null;
  if (!(error instanceof NotConfirmed)) return <Fault error={error} />;
  return (
    <div className="fault" role="alert">
      <div>
        <b>{t('passkey.notConfirmed')}</b>
        <p>{t('passkey.notConfirmed.text')}</p>
      </div>
    </div>
  );
}
