/** A table whose rows can be opened; on a phone each row becomes a card. `j` and `k` move between the rows. */
import type { ComponentChildren } from 'preact';
import { Link } from '../../../wallet/src/router.tsx';
import { Icon } from '../../../wallet/src/ui/Icon.tsx';

export interface Column<Row> {
  readonly label: string;
  readonly show: (row: Row) => ComponentChildren;
  /** The server's name of the column, if the server sorts by it. */
  readonly sort?: string;
  readonly isNumber?: boolean;
  /** Sentences need room. */
  readonly isWide?: boolean;
}

const classOf = ({ isNumber, isWide }: Pick<Column<never>, 'isNumber' | 'isWide'>): string | undefined =>
  isNumber ? 'number' : isWide ? 'wide' : undefined;

interface Order {
  readonly sort: string;
  readonly change: (next: string) => void;
}

interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row, nth: number) => string;
  /** The screen of a row. */
  readonly to?: ((row: Row) => string | undefined) | undefined;
  readonly order?: Order | undefined;
  readonly isOld?: boolean | undefined;
}

export function Table<Row>({ label, columns, rows, keyOf, to, order, isOld }: TableProps<Row>) {
  return (
    // A wide table scrolls by itself, and with the keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable
    <section className={isOld ? 'table-box old' : 'table-box'} aria-label={label} aria-busy={isOld} tabIndex={0}>
      <table className="list">
        <thead>
          <tr>
            {columns.map((column) => (
              <Head key={column.label} column={column} order={order} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, nth) => {
            const target = to?.(row);
            return (
              <tr key={keyOf(row, nth)} className={target === undefined ? undefined : 'opens'}>
                {columns.map((column, at) => (
                  <td key={column.label} data-label={column.label} className={classOf(column)}>
                    {at === 0 && target !== undefined ? (
                      <Link to={target} className="cell row-link" data-row>
                        {column.show(row)}
                      </Link>
                    ) : (
                      <span className="cell">{column.show(row)}</span>
                    )}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

/** The first click sorts upwards, the second one downwards. */
function Head<Row>({ column, order }: { readonly column: Column<Row>; readonly order: Order | undefined }) {
  const { label, sort, isNumber } = column;
  const className = isNumber ? 'number' : undefined;
  if (sort === undefined || !order) {
    return (
      <th scope="col" className={className}>
        {label}
      </th>
    );
  }
  const isUp = order.sort === sort;
  const isDown = order.sort === `-${sort}`;
  return (
    <th scope="col" className={className} aria-sort={isUp ? 'ascending' : isDown ? 'descending' : 'none'}>
      <button type="button" className="sort" onClick={() => order.change(isUp ? `-${sort}` : sort)}>
        {label}
        <i className={isUp ? 'arrow up' : isDown ? 'arrow down' : 'arrow'} aria-hidden="true" />
      </button>
    </th>
  );
}

export const CsvLink = ({ href, label }: { readonly href: string; readonly label: string }) => (
  <a className="button quiet small" href={href} download>
    <Icon name="download" size={18} />
    {label}
  </a>
);
