/**
 * The content of `id_marks`, a Bloom filter: three bits of each id, in the group that the id belongs to. Most ids that
 * were never added are recognized as such. The rule matches `id_group` and `has_marks`, and must never change.
 */

/** As many bits as fit on a page of PostgreSQL. */
const GROUP_BYTES = 8_064;
/** Nine bits per id: of a hundred other ids, two or three find all three of their bits set. */
export const IDS_PER_GROUP = (GROUP_BYTES * 8) / 9;

export interface IdMarks {
  readonly groups: number;
  /** Ids of 16 bytes each, concatenated. */
  add(ids: Buffer): void;
  bitsOf(group: number): Buffer;
}

/** For about this many ids. With more, the filter is less accurate. */
export function createIdMarks(count: number, idsPerGroup = IDS_PER_GROUP): IdMarks {
  const groups = Math.max(1, Math.ceil(count / idsPerGroup));
  const bits = Buffer.alloc(groups * GROUP_BYTES);
  return {
    groups,
    add(ids) {
      for (let id = 0; id < ids.length; id += 16) {
        const group = ids.readUIntBE(id + 3, 3) % groups;
        for (let part = 10; part < 16; part += 2) {
          const bit = Math.floor((ids.readUInt16BE(id + part) * 63) / 64);
          bits[group * GROUP_BYTES + (bit >> 3)]! |= 1 << (bit & 7);
        }
      }
    },
    bitsOf: (group) => bits.subarray(group * GROUP_BYTES, (group + 1) * GROUP_BYTES),
  };
}
