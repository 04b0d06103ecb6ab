import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { StemSplitRow } from '../database/tables.ts'
import { newSeparation, SeparationRecord } from './separation-record.ts'

/** Stored part of a split, so that it can continue: it must be of the same sound, and paid by the same account. */
const StoredSplit = z.object({ source: z.string(), account: z.string(), separation: SeparationRecord })

/** Sound and account that a separation belongs to. */
export interface SplitOrigin {
  /** Differs when the source does. */
  readonly source: string
  /** Stands for the account without telling its key. */
  readonly account: string
}

export const accountMark = (key: string): string =>
  createHash('sha256').update(`hearth stem account ${key}`).digest('hex').slice(0, 32)

/** As it is stored in a split's row. */
export const writeSplitRecord = (origin: SplitOrigin, separation: SeparationRecord): string =>
  JSON.stringify({ ...origin, separation })

/** Stored in place of a record that is of no more use. */
export const noRecord = 'null'

/** The separation in a row of this origin; undefined when there is none that could go on. */
export function readSplitRecord(row: Pick<StemSplitRow, 'record'>, origin: SplitOrigin): SeparationRecord | undefined {
  const { data } = StoredSplit.safeParse(JSON.parse(row.record))
  return data?.source === origin.source && data.account === origin.account ? data.separation : undefined
}

/** The record to work on: the one that is there, if it can go on, or a new one, which will be paid. */
export function recordAfter(previous: StemSplitRow | undefined, origin: SplitOrigin): string {
  const known = previous === undefined || previous.status === 'done' ? undefined : readSplitRecord(previous, origin)
  return writeSplitRecord(origin, known ?? newSeparation())
}
