/** Every item of a paged list. A page can be empty and still have a next one. */
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
