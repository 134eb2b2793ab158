import { useRecipients } from '../reads.ts';
import { t } from '../text/text.ts';
import { Avatar } from './parts.tsx';

const MOST = 8;

/** The people whom this person has paid, to choose from. Empty before the first payment. */
export function RecentPeople({
  chosen,
  onChoose,
}: {
  readonly chosen: readonly string[];
  readonly onChoose: (name: string) => void;
}) {
  const { data } = useRecipients();
  const names = (data ?? []).flatMap(({ to }) => ('username' in to ? (to.username ?? []) : [])).slice(0, MOST);
  if (names.length === 0) return null;
  return (
    <fieldset className="recent" aria-label={t('recent')}>
      {names.map((name) => (
        <button type="button" key={name} aria-pressed={chosen.includes(name)} onClick={() => onChoose(name)}>
          <Avatar name={name} />
          <span>@{name}</span>
        </button>
      ))}
    </fieldset>
  );
}
