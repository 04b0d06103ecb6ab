/** Bounds of a list; beyond them, lines are left out and counted. */
export const listBounds = {
  /** Bytes of a list's text. */
  bytes: 25 * 1024 * 1024,
  lines: 2_000_000,
  lineBytes: 16 * 1024,
  /** Names and patterns of one list. */
  entries: 3_000_000,
  /** Of all lists together: 128 MiB of table. */
  allEntries: 12_000_000,
} as const
