/** Every item of a list that is read page by page. A page may be empty and still have a next one. */
export async function* eachItem<Item>(
  readPage: (cursor: string | undefined) => Promise<{ readonly items: readonly Item[]; readonly next: string | null }>,
  from?: string,
): AsyncGenerator<Item, void, undefined> {
  let cursor = from;
  for (;;) {
    const { items, next } = await readPage(cursor);
    yield* items;
    if (next === null) return;
    cursor = next;
  }
}
