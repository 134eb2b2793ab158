import { Link } from '../../../wallet/src/router.tsx';
import { shorten } from './show.tsx';

const ID = /([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})/;

/** Words of the service, which may name payments. The search finds out what each id is. */
export const Linked = ({ text }: { readonly text: string }) => (
  <bdi>
    {text.split(ID).map((part, nth) =>
      nth % 2 === 1 ? (
        <Link key={`${part} ${nth}`} to={`/search?${new URLSearchParams({ q: part, open: 'one' })}`} title={part}>
          <code>{shorten(part)}</code>
        </Link>
      ) : (
        part
      ),
    )}
  </bdi>
);
