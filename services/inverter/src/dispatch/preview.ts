import { Problem } from '../problems.ts'
import { firstSetpoint } from './cycle.ts'
import { otherMeter } from './grid-connection.ts'
import { Meter, readSnapshot, readSoc, type DeviceGateway } from './measure.ts'
import { batterySign, directionOf } from './next-setpoint.ts'
import { applySteps, restoreSteps } from './plan.ts'
import type { DispatchRecord, Snapshot } from './record.ts'
import type { DispatchPreview } from './schema.ts'
import type { Run } from './steps.ts'
import { isGoalMet, type Accepted, type RequestedOperation, type Verdict } from './submission.ts'

interface PreviewInput {
  readonly run: Pick<Run, 'deviceId' | 'gateway' | 'timers' | 'connection'>
  readonly verdict: Verdict
  readonly record: DispatchRecord
}

type Warning = DispatchPreview['warnings'][number]

/** Bits of `battery_status` during which a battery ignores setpoints; masks of the catalog. */
const uncontrolledStates = [
  { mask: 0x408, code: 'battery_calibrating', detail: 'The battery calibrates itself and may not follow' },
  { mask: 0x800, code: 'battery_balancing', detail: 'The battery balances its cells and may not follow' },
] as const

/** Reads the device and reports what a judged request would write and restore. Throws what reading throws. */
export async function previewOf({ run, verdict, record }: PreviewInput): Promise<DispatchPreview> {
  const gateway = run.gateway()
  const soc = await readSoc(gateway)
  const about = { device_id: run.deviceId, battery_soc_percent: Math.round(soc * 1e4) / 100 }
  if (verdict.kind === 'unchanged') {
    if (record.phase !== 'controlling') throw new Error('a request is unchanged although nothing runs')
    return {
      ...about,
      ...viewOf(record.operation, record.commandedW),
      outcome: 'unchanged',
      changes: [],
      restores: restoresOf(record.snapshot),
      warnings: await batteryWarnings(gateway),
    }
  }
  const { requested, conventions } = verdict
  const monotonic = () => run.timers.monotonic()
  const present = await readSnapshot(gateway, monotonic)
  const kept = record.phase === 'controlling' ? record.snapshot : present
  const { connection } = run
  const measured = await new Meter(monotonic, otherMeter(verdict.meterId, run)).read(gateway, () => undefined)
  const isMet = isGoalMet(requested, soc)
  const site = { conventions, limitW: connection.limitW(), sharing: connection.sharing(requested.mode) }
  const wantedW = isMet ? 0 : firstSetpoint(requested, measured, site)
  const steps = isMet ? [] : applySteps(requested, kept, conventions)
  return {
    ...about,
    ...viewOf(requested, wantedW),
    outcome: isMet ? 'target_reached' : record.phase === 'controlling' ? 'replace' : 'start',
    changes: steps.map(({ register, value }) => ({
      name: register,
      from: restoresOf(present).findLast(({ name }) => name === register)?.to ?? 0,
      to: value ?? batterySign(wantedW, conventions),
    })),
    restores: !isMet || record.phase === 'controlling' ? restoresOf(kept) : [],
    warnings: [...warningsOf(verdict), ...(await batteryWarnings(gateway))],
  }
}

const restoresOf = (snapshot: Snapshot) =>
  restoreSteps(snapshot).map(({ register, value }) => ({ name: register, to: value ?? 0 }))

function viewOf(operation: RequestedOperation, commandedW: number) {
  const isHold = operation.mode === 'hold'
  return {
    mode: operation.mode,
    target_soc_percent: operation.targetSocPercent,
    max_power_w: isHold ? null : operation.maxPowerW,
    max_power_w_requested: operation.requestedPowerW,
    max_power_w_clamped: !isHold && operation.maxPowerW !== operation.requestedPowerW,
    valid_until: new Date(operation.until).toISOString(),
    valid_until_clamped: operation.until !== operation.requestedUntil,
    commanded_direction: directionOf(commandedW),
    commanded_power_w: Math.abs(commandedW),
  }
}

function warningsOf({ isEngineering, requested }: Accepted): Warning[] {
  const engineering = { code: 'engineering_mode', detail: 'Not everything this needs is verified on the device' }
  const hold = { code: 'hold_not_verified', detail: 'Holding is not verified on any hardware' }
  return [...(isEngineering ? [engineering] : []), ...(requested.mode === 'hold' ? [hold] : [])]
}

async function batteryWarnings(gateway: DeviceGateway): Promise<Warning[]> {
  try {
    const { value } = await gateway.readFresh('battery_status')
    return uncontrolledStates
      .filter(({ mask }) => (Number(value) & mask) !== 0)
      .map(({ code, detail }) => ({ code, detail }))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return [{ code: 'battery_status_unknown', detail: 'The battery did not say whether it calibrates or balances' }]
  }
}
