import { createHash, randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { StemSplitRow } from '../tables.ts'

/**
 * Progress of a separation, as it is stored between starts of the service. `stage` is what is to be done next; what that
 * stage needs is there before it begins.
 */
export const SeparationRecord = z.object({
  /** Identifies one payment. A new one means that the user agreed to pay again. */
  idempotencyKey: z.uuid(),
  stage: z.enum(['upload', 'split', 'wait', 'clean-up']),
  sourceId: z.string().optional(),
  taskId: z.string().optional(),
})

export type SeparationRecord = z.infer<typeof SeparationRecord>

/** Creates the record of a new separation, to be stored before it runs. */
export const newSeparation = (): SeparationRecord => ({ idempotencyKey: randomUUID(), stage: 'upload' })

/** Stage of a separation, for its observers. */
export type SeparationStage = SeparationRecord['stage'] | 'download'

/** Reason of an abort when the service stops: the paid task continues, and the next start resumes it. */
export class SeparationPaused extends Error {
  override readonly name = 'SeparationPaused'
}

/** Stored part of a split, so that it can continue: it must be of the same sound, and paid by the same account. */
const StoredSplit = z.object({ source: z.string(), account: z.string(), separation: SeparationRecord })

/** Sound and account that a separation belongs to. */
export interface SplitOrigin {
  /** Differs when the source does. */
  readonly source: string
  /** Stands for the account without revealing its key. */
  readonly account: string
}

export const accountMark = (key: string): string =>
  createHash('sha256').update(`hearth stem account ${key}`).digest('hex').slice(0, 32)

/** As it is stored in a split's row. */
export const writeSplitRecord = (origin: SplitOrigin, separation: SeparationRecord): string =>
  JSON.stringify({ ...origin, separation })

/** Stored in place of a record that is of no more use. */
export const noRecord = 'null'

/** Reads the separation in a row of this origin; undefined when there is none to resume. */
export function readSplitRecord(row: Pick<StemSplitRow, 'record'>, origin: SplitOrigin): SeparationRecord | undefined {
  const { data } = StoredSplit.safeParse(JSON.parse(row.record))
  return data?.source === origin.source && data.account === origin.account ? data.separation : undefined
}

/** Returns the stored record if it can be resumed, otherwise a new one, which will be paid. */
export function recordAfter(previous: StemSplitRow | undefined, origin: SplitOrigin): string {
  const known = previous === undefined || previous.status === 'done' ? undefined : readSplitRecord(previous, origin)
  return writeSplitRecord(origin, known ?? newSeparation())
}
