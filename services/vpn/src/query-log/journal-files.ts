import { readdirSync } from 'node:fs'

/** Names of files in the folder of a query journal. */
export const journalFile = {
  /** Entries that are being written, a line each. */
  open: 'open.jsonl',
  /** What is gone from the folder; written by the program that sends its batches. */
  position: 'position.json',
} as const

/** A batch in the folder of a journal: whole, and never changed again. */
export interface StoredBatch {
  readonly file: string
  /** Place in the order of batches. */
  readonly number: number
  /** Entries in it. */
  readonly count: number
}

/** The name of the file of a batch. */
export const batchFileName = (number: number, count: number): string =>
  `${String(number).padStart(12, '0')}-${count}.jsonl`

/** Lists the batches in a folder, the oldest first; none when it is not there. */
export function batchesIn(folder: string): StoredBatch[] {
  let names: string[] = []
  try {
    names = readdirSync(folder)
  } catch {
    // Nothing was logged yet.
  }
  return names
    .flatMap((file) => {
      const [, number, count] = /^(\d{12})-(\d{1,6})\.jsonl$/.exec(file) ?? []
      return number === undefined ? [] : [{ file, number: Number(number), count: Number(count) }]
    })
    .toSorted((a, b) => a.number - b.number)
}
