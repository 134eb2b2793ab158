import { useEffect, useState } from 'react';
import { go, useRoute } from '../../../wallet/src/router.tsx';
import { Icon } from '../../../wallet/src/ui/Icon.tsx';
import { searchFieldId } from '../keys.ts';
import { t } from '../text/text.ts';

/** One box for everything that a customer can name. */
export function SearchBox({ id = searchFieldId }: { readonly id?: string }) {
  const { path, query } = useRoute();
  const shown = path === '/search' ? (query.get('q') ?? '') : '';
  const [typed, setTyped] = useState(shown);
  useEffect(() => setTyped(shown), [shown]);
  return (
    <form
      className="search-box"
      onSubmit={(event) => {
        event.preventDefault();
        const word = typed.trim();
        if (word !== '') go(`/search?${new URLSearchParams({ q: word, open: 'one' })}`);
      }}
    >
      <Icon name="search" size={18} />
      <input
        id={id}
        type="search"
        value={typed}
        aria-label={t('search')}
        placeholder={t('search.placeholder')}
        autoComplete="off"
        autocapitalize="none"
        spellcheck={false}
        maxLength={200}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      <kbd>/</kbd>
    </form>
  );
}
