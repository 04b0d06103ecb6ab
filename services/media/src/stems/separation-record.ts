import { randomUUID } from 'node:crypto'
import { z } from 'zod'

/**
 * Progress of a separation, as it is stored between starts of the service. `stage` is what is to be done next; what that
 * stage needs is there before it begins.
 */
export const SeparationRecord = z.object({
  /** Stands for one payment. A new one means that the user agreed to pay again. */
  idempotencyKey: z.uuid(),
  stage: z.enum(['upload', 'split', 'wait', 'clean-up']),
  sourceId: z.string().optional(),
  taskId: z.string().optional(),
})

export type SeparationRecord = z.infer<typeof SeparationRecord>

/** The record of a separation that nobody has begun; to be stored before it is run. */
export const newSeparation = (): SeparationRecord => ({ idempotencyKey: randomUUID(), stage: 'upload' })

/** Stage of a separation, for its observers. */
export type SeparationStage = SeparationRecord['stage'] | 'download'

/** An abort with this reason, when the service stops, leaves the paid task alone; the next start goes on with it. */
export class SeparationPaused extends Error {
  override readonly name = 'SeparationPaused'
}
