import { Problem } from '../problems.ts'
import { restoreDelayMs, type Aim } from './dispatch-machine.ts'
import { Interrupted } from './endings.ts'
import type { DeviationMonitor } from './deviation.ts'
import { isMeterRight } from './grid-connection.ts'
import { StaleReadings, type Measurement, type Meter } from './measure.ts'
import { batterySign, gridSign, nextSetpoint, shouldWrite } from './next-setpoint.ts'
import type { Conventions } from './plan.ts'
import type { Operation, PhaseOf } from './record.ts'
import { command, currentRecord, type Run } from './steps.ts'
import { isGoalMet } from './submission.ts'

/** State of a running operation beside its record. It ends with the process; nothing is resumed from it. */
export interface RunningOperation {
  /** Latest end; monotonic milliseconds, so that no change of the clock prolongs it. */
  readonly deadline: number
  readonly conventions: Conventions
  readonly meter: Meter
  readonly deviation: DeviationMonitor
  /** The inverter whose grid power it reads, by the sign in its conventions. */
  readonly meterId: string
  /** Time of the last write of the setpoint; monotonic milliseconds. */
  wroteAt: number
}

/**
 * One round of the control loop for a settled operation: measures and corrects the setpoint. Throws `Interrupted` with the
 * reason when the operation is over, or what `proceed` throws to give up, anything else when something failed; the caller hands
 * back in all cases.
 */
export async function cycle(
  run: Run,
  running: RunningOperation,
  { isAllowed, proceed }: { isAllowed: () => boolean; proceed: () => void },
): Promise<void> {
  const { operation, commandedW } = settled(run)
  const checkConditions = () => {
    // Ends by whichever clock is first: a jump of the wall clock can only shorten an operation.
    if (run.timers.monotonic() >= running.deadline || run.timers.now() >= operation.until)
      throw new Interrupted('ttl_expired')
    if (!isAllowed()) throw new Interrupted('write_not_allowed')
    checkMeter(run, running, operation)
    proceed()
  }
  checkConditions()
  await run.checkVerified(operation)
  const measured = await running.meter.read(run.gateway(), proceed)
  checkConditions()
  if (isGoalMet(operation, measured.soc)) throw new Interrupted('target_reached')
  const gridW = gridSign(measured.grid, running.conventions)
  const measuredW = batterySign(measured.battery, running.conventions)
  if (running.deviation.note({ commandedW, measuredW, now: run.timers.now() })) run.persisted.announce()
  const { mode, maxPowerW } = operation
  const limitW = run.connection.limitW()
  const sharing = run.connection.sharing(mode)
  const wantedW = nextSetpoint({ mode, maxPowerW, commandedW, gridW, measuredW, limitW, sharing })
  // Timers of the platform are a little early now and then; a tenth of a second must not cost a round.
  const sinceWriteMs = Math.round((run.timers.monotonic() - running.wroteAt) / 100) * 100
  const { refreshMs } = running.conventions
  if (!shouldWrite({ commandedW, wantedW, gridW, limitW, sinceWriteMs, refreshMs })) return
  await command(run, aimAt(wantedW, running.conventions))
  running.wroteAt = run.timers.monotonic()
  running.meter.recordChange(wantedW - measuredW)
}

/** The first setpoint of an operation, decided on the current power of the plant. */
export async function firstAim(run: Run, running: RunningOperation, proceed: () => void): Promise<Aim> {
  const record = currentRecord(run.persisted)
  if (record.phase !== 'applying' && record.phase !== 'replacing') throw new Error('nothing is being started')
  const measured = await running.meter.read(run.gateway(), proceed)
  checkMeter(run, running, record.operation)
  const site = { limitW: run.connection.limitW(), sharing: run.connection.sharing(record.operation.mode) }
  const wantedW = firstSetpoint(record.operation, measured, { ...site, conventions: running.conventions })
  running.wroteAt = run.timers.monotonic()
  running.meter.recordChange(wantedW - batterySign(measured.battery, running.conventions))
  return aimAt(wantedW, running.conventions)
}

/** Calculates the first setpoint from the power of the battery now, whatever commanded it before. Watts, discharge positive. */
export function firstSetpoint(
  { mode, maxPowerW }: Pick<Operation, 'mode' | 'maxPowerW'>,
  { grid, battery }: Pick<Measurement, 'grid' | 'battery'>,
  { conventions, limitW, sharing }: { conventions: Conventions; limitW: number | null; sharing: number },
): number {
  const commandedW = batterySign(battery, conventions)
  const gridW = gridSign(grid, conventions)
  return nextSetpoint({ mode, maxPowerW, commandedW, gridW, measuredW: commandedW, limitW, sharing })
}

/** Ends an operation that would have to read its grid power elsewhere: after a change of the plant or of the limit. */
function checkMeter({ connection }: Run, { meterId }: RunningOperation, { mode }: Operation): void {
  if (!isMeterRight(mode, meterId, connection)) throw new Interrupted('device_reconfigured')
}

const aimAt = (commandedW: number, conventions: Conventions): Aim => ({
  commandedW,
  value: batterySign(commandedW, conventions),
})

function settled({ persisted }: Run): PhaseOf<'controlling'> {
  const record = currentRecord(persisted)
  if (record.phase !== 'controlling') throw new Error('the control loop runs without a settled operation')
  return record
}

/** Returns true if an error is one the loop expects, as opposed to a mistake in this service. */
export const isExpected = (error: unknown): boolean =>
  error instanceof Problem || error instanceof StaleReadings || error instanceof Interrupted

/** Interval of the control loop of a settled operation, milliseconds. */
const cycleMs = 5000

/** Returns when the next round or attempt of a device is due, monotonic milliseconds; undefined while there is nothing to do. */
export function nextDue(
  { persisted, timers }: Pick<Run, 'persisted' | 'timers'>,
  { running, workedAt, failures }: { running: RunningOperation | undefined; workedAt: number; failures: number },
): number | undefined {
  const { record, isUnsaved } = persisted
  if (record === undefined) return undefined
  if (record.phase === 'idle') return isUnsaved ? workedAt + restoreDelayMs(failures + 1) : undefined
  if (record.phase === 'fault') return workedAt + restoreDelayMs(record.attempts)
  if (record.phase !== 'controlling' || running === undefined) return workedAt + cycleMs
  const left = record.operation.until - timers.now()
  return Math.min(workedAt + cycleMs, running.deadline, timers.monotonic() + left)
}
