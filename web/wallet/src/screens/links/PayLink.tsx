import { readPayLink } from '../../money/payLink.ts';
import { Link, type Route, useTitle } from '../../router.tsx';
import { t } from '../../text/text.ts';
import { Empty, Screen } from '../../ui/parts.tsx';
import SendAmount from '../SendAmount.tsx';

/** `/pay/@name`, for a person who is logged in: a payment with what the link says, which the person checks. */
export default function PayLink({
  name,
  query,
  own,
}: {
  readonly name: string;
  readonly query: Route['query'];
  readonly own: string | null;
}) {
  const link = readPayLink(name, query);
  if (!link)
    return <NoPayment title={t('link.unreadable')} text={t('link.unreadable.text')} to="/send" label={t('send')} />;
  if (link.username === own)
    return <NoPayment title={t('link.own')} text={t('link.own.text')} to="/receive" label={t('receive')} />;
  const { username, amount, note } = link;
  const given = Object.entries({ username, amount, note }).filter((entry): entry is [string, string] => !!entry[1]);
  return <SendAmount query={new URLSearchParams(given)} />;
}

function NoPayment(shown: Readonly<Record<'title' | 'text' | 'to' | 'label', string>>) {
  useTitle(shown.title);
  return (
    <Screen title={shown.title}>
      <Empty icon="link" title={shown.text}>
        <Link to={shown.to} className="button soft">
          {shown.label}
        </Link>
      </Empty>
    </Screen>
  );
}
