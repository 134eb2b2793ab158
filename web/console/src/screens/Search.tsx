import { useEffect } from 'react';
import { go, Link, useRoute } from '../../../wallet/src/router.tsx';
import { MenuLink } from '../../../wallet/src/ui/plain.tsx';
import type { Search as Found } from '../contract/payments.ts';
import { useRead } from '../reads.ts';
import { t } from '../text/text.ts';
import { Nothing, Page, Reading } from '../ui/page.tsx';
import { SearchBox } from '../ui/SearchBox.tsx';
import { Tag, Words } from '../ui/show.tsx';

/** Everything that a customer can name. */
export default function Search() {
  const { query } = useRoute();
  const word = query.get('q') ?? '';
  return (
    <Page title={t('nav.search')}>
      <div className="narrow-only">
        <SearchBox id="search-here" />
      </div>
      {word === '' ? <Start /> : <Hits key={word} word={word} isDirect={query.get('open') === 'one'} />}
    </Page>
  );
}

const Start = () => (
  <>
    <p className="lead">{t('search.text')}</p>
    <div className="card menu">
      <MenuLink to="/payments" icon="send" label={t('nav.payments')} />
      <MenuLink to="/people" icon="person" label={t('nav.people')} />
      <MenuLink to="/deposits" icon="receive" label={t('nav.deposits')} />
      <MenuLink to="/payouts" icon="share" label={t('nav.payouts')} />
    </div>
  </>
);

/** `isDirect`: just typed, and not a link to the hits; the only hit opens at once. */
function Hits({ word, isDirect }: { readonly word: string; readonly isDirect: boolean }) {
  const read = useRead<Found>(`/api/search?${new URLSearchParams({ q: word })}`);
  const only = read.data?.hits.length === 1 ? read.data.hits[0]!.path : undefined;
  useEffect(() => {
    if (isDirect && only !== undefined) go(only, { replace: true });
  }, [isDirect, only]);
  return (
    <Reading read={read}>
      {({ hits }) =>
        hits.length === 0 ? (
          <Nothing icon="search" title={t('search.none')}>
            <p>{t('search.none.text')}</p>
          </Nothing>
        ) : (
          <ul className="hits">
            {hits.map(({ kind, id, title, detail, path }) => (
              <li key={`${kind} ${id}`}>
                <Link to={path} className="hit" data-row>
                  <Tag>{t(`hit.${kind}`)}</Tag>
                  <b>
                    <Words text={title} />
                  </b>
                  <small>
                    <Words text={detail} />
                  </small>
                </Link>
              </li>
            ))}
          </ul>
        )
      }
    </Reading>
  );
}
