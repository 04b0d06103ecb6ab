import { Problem } from '../problems.ts'
import { Interrupted } from './endings.ts'
import type { Following } from './following.ts'
import { StaleReadings, type Measurement, type Meter } from './measure.ts'
import { batterySign, gridSign, nextSetpoint, shouldWrite } from './next-setpoint.ts'
import type { Conventions } from './plan.ts'
import type { Operation, PhaseOf } from './record.ts'
import { command, presentRecord, type Aim, type Run } from './steps.ts'
import { isGoalMet } from './submission.ts'

/** State of a running operation beside its record. It ends with the process; nothing is resumed from it. */
export interface Live {
  /** Latest end; monotonic milliseconds, so that no change of the clock prolongs it. */
  readonly deadline: number
  readonly conventions: Conventions
  readonly meter: Meter
  readonly following: Following
  /** Time of the last write of the setpoint; monotonic milliseconds. */
  wroteAt: number
}

/** Conditions for an operation to continue. */
export interface Terms {
  readonly isAllowed: () => boolean
  /** Throws to give up. */
  readonly proceed: () => void
}

/** Returns true if the time of an operation is over by either clock: a jump of the wall clock can only shorten it. */
export const isExpired = ({ timers }: Run, { deadline }: Live, { until }: Operation): boolean =>
  timers.monotonic() >= deadline || timers.now() >= until

/**
 * One round of the control loop for a settled operation: measures and corrects the setpoint. Throws `Interrupted` with the
 * reason when the operation is over, anything else when something failed; the caller hands back in both cases.
 */
export async function cycle(run: Run, live: Live, terms: Terms): Promise<void> {
  const { operation, commandedW } = settled(run)
  const demand = () => {
    if (isExpired(run, live, operation)) throw new Interrupted('ttl_expired')
    if (!terms.isAllowed()) throw new Interrupted('write_not_allowed')
    terms.proceed()
  }
  demand()
  await run.checkVerified(operation)
  const measured = await live.meter.read(run.gateway(), terms.proceed)
  demand()
  if (isGoalMet(operation, measured.soc)) throw new Interrupted('target_reached')
  const gridW = gridSign(measured.grid, live.conventions)
  const measuredW = batterySign(measured.battery, live.conventions)
  if (live.following.note({ commandedW, measuredW, now: run.timers.now() })) run.keeper.announce()
  const { mode, maxPowerW } = operation
  const wantedW = nextSetpoint({ mode, maxPowerW, commandedW, gridW })
  // Timers of the platform are a little early now and then; a tenth of a second must not cost a round.
  const sinceWriteMs = Math.round((run.timers.monotonic() - live.wroteAt) / 100) * 100
  const { refreshMs } = live.conventions
  if (!shouldWrite({ commandedW, wantedW, gridW, sinceWriteMs, refreshMs })) return
  await command(run, aimAt(wantedW, live.conventions))
  live.wroteAt = run.timers.monotonic()
  live.meter.noteChange(wantedW - measuredW)
}

/** The first setpoint of an operation, decided on what the plant does at this moment. */
export async function firstAim(run: Run, live: Live, proceed: () => void): Promise<Aim> {
  const record = presentRecord(run.keeper)
  if (record.phase !== 'applying' && record.phase !== 'replacing') throw new Error('nothing is being started')
  const measured = await live.meter.read(run.gateway(), proceed)
  const wantedW = firstSetpoint(record.operation, measured, live.conventions)
  live.wroteAt = run.timers.monotonic()
  live.meter.noteChange(wantedW - batterySign(measured.battery, live.conventions))
  return aimAt(wantedW, live.conventions)
}

/** Calculates the first setpoint from the power of the battery now, whoever commanded it before. Watts, discharge positive. */
export function firstSetpoint(
  { mode, maxPowerW }: Pick<Operation, 'mode' | 'maxPowerW'>,
  { grid, battery }: Pick<Measurement, 'grid' | 'battery'>,
  conventions: Conventions,
): number {
  const commandedW = batterySign(battery, conventions)
  return nextSetpoint({ mode, maxPowerW, commandedW, gridW: gridSign(grid, conventions) })
}

const aimAt = (commandedW: number, conventions: Conventions): Aim => ({
  commandedW,
  value: batterySign(commandedW, conventions),
})

function settled({ keeper }: Run): PhaseOf<'controlling'> {
  const record = presentRecord(keeper)
  if (record.phase !== 'controlling') throw new Error('the control loop runs without a settled operation')
  return record
}

/** Returns true if an error is one the loop expects, as opposed to a mistake in this service. */
export const isExpected = (error: unknown): boolean =>
  error instanceof Problem || error instanceof StaleReadings || error instanceof Interrupted
