/** A paged list, read page by page as its items are used. */
export interface List<Item> extends AsyncIterable<Item> {
  /** The first `limit` items; fewer if there are no more. */
  toArray(options: { readonly limit: number }): Promise<Item[]>;
}

interface Page<Item, Cursor> {
  readonly items: readonly Item[];
  readonly next: Cursor | null;
}

/** Every item, from a cursor on. A page can be empty and still have a next one. */
export function listItems<Item, Cursor = string>(
  readPage: (cursor: Cursor | undefined) => Promise<Page<Item, Cursor>>,
  from?: Cursor,
): List<Item> {
  async function* each(): AsyncGenerator<Item, void, undefined> {
    let cursor = from;
    for (;;) {
      const { items, next } = await readPage(cursor);
      yield* items;
      if (next === null) return;
      cursor = next;
    }
  }
  return {
    [Symbol.asyncIterator]: each,
    async toArray({ limit }) {
      const taken: Item[] = [];
      if (limit <= 0) return taken;
      for await (const item of each()) if (taken.push(item) >= limit) break;
      return taken;
    },
  };
}
