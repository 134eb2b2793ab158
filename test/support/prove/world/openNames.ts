/** Short names for everything that has a random id, so that stories can be read and two runs can be compared. */
interface Names {
  know(name: string, id: string): void;
  id(name: string): string;
  nameOf(id: string): string | undefined;
  ids(): string[];
  /** The text with names in place of ids, addresses and hashes. */
  plain(text: string): string;
}

export function openNames(): Names {
  const [ids, names] = [new Map<string, string>(), new Map<string, string>()];
  return {
    know(name, id) {
      ids.set(name, id);
      names.set(id, name);
    },
    id(name) {
      const id = ids.get(name);
      if (id === undefined) throw new Error(`nothing is called ${name}`);
      return id;
    },
    nameOf: (id) => names.get(id),
    ids: () => [...names.keys()].filter((one) => /^[0-9a-f-]{36}$/.test(one)),
    plain: (text) =>
      text
        .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => names.get(id) ?? '<id>')
        .replace(/0x[0-9a-fA-F]{64}/g, (hash) => names.get(hash) ?? '<hash>')
        .replace(/0x[0-9a-fA-F]{40}/g, (address) => names.get(address.toLowerCase()) ?? '<address>')
        .replace(/\b127\.0\.0\.1:\d+/g, '<node>')
        .replace(/\d{4}-\d\d-\d\d[T ][\d:.]+(Z|\+00)?/g, '<time>'),
  };
}
