import { advance } from './dispatch-machine.ts'
import { endingFor, errorForCaller } from './endings.ts'
import { readSnapshot } from './measure.ts'
import { applySteps, type Conventions } from './plan.ts'
import type { Operation } from './record.ts'
import { abandon, presentRecord, type Run } from './steps.ts'

/**
 * Stores what is about to be done, and the way back, before anything is written. A replacement keeps the way back of the
 * operation it replaces, and leaves it running when the disk refuses; anything else gives the wish up when something fails.
 */
export async function prepare(
  run: Run,
  operation: Operation,
  ways: { conventions: Conventions; proceed: () => void },
): Promise<void> {
  const { keeper, timers } = run
  const record = presentRecord(keeper)
  if (record.phase === 'controlling') {
    const steps = applySteps(operation, record.snapshot, ways.conventions)
    await keeper.save(advance(record, { kind: 'submit', operation, steps }).record)
    return
  }
  await keeper.save(advance(record, { kind: 'submit', operation, steps: null }).record)
  try {
    ways.proceed()
    const snapshot = await readSnapshot(run.gateway(), () => timers.monotonic())
    const steps = applySteps(operation, snapshot, ways.conventions)
    await keeper.save(advance(presentRecord(keeper), { kind: 'snapshot', snapshot, steps }).record)
  } catch (error) {
    run.checkHalted()
    await abandon(run, endingFor(error))
    throw errorForCaller(error)
  }
}
