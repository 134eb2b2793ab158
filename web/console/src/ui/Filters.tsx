/** Filters above a list. Choices apply at once, typed values with Enter or when the field is left. */
import { useEffect, useState } from 'react';
import { Button } from '../../../wallet/src/ui/plain.tsx';
import { t } from '../text/text.ts';
import type { Listing } from '../urls.ts';

interface FilterDescription {
  readonly name: string;
  readonly label: string;
  /** By value; '' is everything. Without options the value is typed. */
  readonly options?: Readonly<Record<string, string>>;
  readonly type?: 'date';
  readonly placeholder?: string;
}

export function Filters({
  listing,
  filters,
}: {
  readonly listing: Listing;
  readonly filters: readonly FilterDescription[];
}) {
  const [isOpen, setOpen] = useState(listing.hasFilters);
  return (
    <>
      <button
        type="button"
        className="button small filters-shown"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {t('filters')}
      </button>
      <form
        className={isOpen ? 'filter-bar open' : 'filter-bar'}
        onSubmit={(event) => event.preventDefault()}
        aria-label={t('filters')}
      >
        {filters.map((filter) =>
          filter.options ? (
            <ChoiceFilter key={filter.name} filter={filter} options={filter.options} listing={listing} />
          ) : (
            <TypedFilter key={filter.name} filter={filter} listing={listing} />
          ),
        )}
        {listing.hasFilters && (
          <Button
            variant="quiet"
            onClick={() => listing.set(Object.fromEntries(filters.map(({ name }) => [name, ''])))}
          >
            {t('filters.clear')}
          </Button>
        )}
      </form>
    </>
  );
}

interface FilterProps {
  readonly filter: FilterDescription;
  readonly listing: Listing;
}

function ChoiceFilter({
  filter: { name, label },
  options,
  listing,
}: FilterProps & { readonly options: Readonly<Record<string, string>> }) {
  return (
    <div className="field">
      <label htmlFor={`filter-${name}`}>{label}</label>
      <select
        id={`filter-${name}`}
        value={listing.get(name)}
        onChange={(event) => listing.set({ [name]: event.currentTarget.value })}
      >
        <option value="">{t('filters.all')}</option>
        {Object.entries(options).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

function TypedFilter({ filter: { name, label, type, placeholder }, listing }: FilterProps) {
  const kept = listing.get(name);
  const [typed, setTyped] = useState(kept);
  // Another link, or the filters were cleared.
  useEffect(() => setTyped(kept), [kept]);
  const apply = (value: string) => value.trim() !== kept && listing.set({ [name]: value.trim() });
  return (
    <div className="field">
      <label htmlFor={`filter-${name}`}>{label}</label>
      <input
        id={`filter-${name}`}
        type={type ?? 'text'}
        value={typed}
        placeholder={placeholder}
        autoComplete="off"
        spellcheck={false}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onChange={(event) => apply(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Enter' && apply(event.currentTarget.value)}
      />
    </div>
  );
}
