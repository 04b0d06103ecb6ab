import type { Live } from './cycle.ts'
import { restoreDelayMs } from './dispatch-machine.ts'
import type { Run } from './steps.ts'

/** Interval of the control loop of a settled operation, milliseconds. */
const cycleMs = 5000

/** Returns when the next round or attempt of a device is due, monotonic milliseconds; undefined while there is nothing to do. */
export function nextDue(
  { keeper, timers }: Pick<Run, 'keeper' | 'timers'>,
  { live, workedAt, failures }: { live: Live | undefined; workedAt: number; failures: number },
): number | undefined {
  const { record, isUnsaved } = keeper
  if (record === undefined) return undefined
  if (record.phase === 'idle') return isUnsaved ? workedAt + restoreDelayMs(failures + 1) : undefined
  if (record.phase === 'fault') return workedAt + restoreDelayMs(record.attempts)
  if (record.phase !== 'controlling' || live === undefined) return workedAt + cycleMs
  const left = record.operation.until - timers.now()
  return Math.min(workedAt + cycleMs, live.deadline, timers.monotonic() + left)
}
