import { Problem } from '../problems.ts'
import { firstSetpoint } from './cycle.ts'
import { Meter, readSnapshot, readSoc, type DeviceGateway } from './measure.ts'
import { batterySign, directionOf } from './next-setpoint.ts'
import { applySteps, restoreSteps } from './plan.ts'
import type { DispatchRecord, Operation, Snapshot, Step } from './record.ts'
import { registers } from './registers.ts'
import type { DispatchPreview } from './schema.ts'
import type { Run } from './steps.ts'
import { isGoalMet, type Accepted, type Verdict } from './submission.ts'

export interface PreviewInput {
  readonly run: Pick<Run, 'deviceId' | 'gateway' | 'timers'>
  readonly verdict: Verdict
  readonly record: DispatchRecord
}

type Warning = DispatchPreview['warnings'][number]

/** Bits of `battery_status` during which a battery does what it wants; masks of the catalog. */
const uncontrolledStates = [
  { mask: 0x408, code: 'battery_calibrating', detail: 'The battery calibrates itself and may not follow' },
  { mask: 0x800, code: 'battery_balancing', detail: 'The battery balances its cells and may not follow' },
] as const

/** Reads the device and reports what a judged request would write and restore. Throws what reading throws. */
export async function previewOf(input: PreviewInput): Promise<DispatchPreview> {
  const { run, verdict, record } = input
  const gateway = run.gateway()
  const soc = await readSoc(gateway)
  if (verdict.kind === 'unchanged') return unchanged(input, soc)
  const monotonic = () => run.timers.monotonic()
  const present = await readSnapshot(gateway, monotonic)
  const kept = record.phase === 'controlling' ? record.snapshot : present
  const measured = await new Meter(monotonic).read(gateway, () => undefined)
  const isMet = isGoalMet(verdict.requested, soc)
  const wantedW = isMet ? 0 : firstSetpoint(verdict.requested, measured, verdict.conventions)
  const operation = asOperation(verdict)
  const steps = isMet ? [] : applySteps(operation, kept, verdict.conventions)
  const aimed = steps.map((step) => valueOf(step) ?? batterySign(wantedW, verdict.conventions))
  const isTouched = !isMet || record.phase === 'controlling'
  return {
    ...aboutOperation(run.deviceId, operation, soc),
    outcome: isMet ? 'target_reached' : record.phase === 'controlling' ? 'replace' : 'start',
    valid_until_clamped: operation.until !== operation.requestedUntil,
    commanded_direction: directionOf(wantedW),
    commanded_power_w: Math.abs(wantedW),
    changes: steps.map(({ register }, index) => ({
      name: register,
      from: presentValue(present, register),
      to: aimed[index] ?? 0,
    })),
    restores: isTouched ? restoresOf(kept) : [],
    warnings: [...warningsOf(verdict), ...(await batteryWarnings(gateway))],
  }
}

const valueOf = ({ value }: Step): number | boolean | null => value

const restoresOf = (snapshot: Snapshot) =>
  restoreSteps(snapshot).map(({ register, value }) => ({ name: register, to: value ?? 0 }))

async function unchanged({ run, record }: PreviewInput, soc: number): Promise<DispatchPreview> {
  if (record.phase !== 'controlling') throw new Error('a request is unchanged although nothing runs')
  const { operation, commandedW, snapshot } = record
  return {
    ...aboutOperation(run.deviceId, operation, soc),
    outcome: 'unchanged',
    valid_until_clamped: operation.until !== operation.requestedUntil,
    commanded_direction: directionOf(commandedW),
    commanded_power_w: Math.abs(commandedW),
    changes: [],
    restores: restoresOf(snapshot),
    warnings: await batteryWarnings(run.gateway()),
  }
}

type About = Pick<
  DispatchPreview,
  | 'device_id'
  | 'mode'
  | 'target_soc_percent'
  | 'battery_soc_percent'
  | 'max_power_w'
  | 'max_power_w_requested'
  | 'max_power_w_clamped'
  | 'valid_until'
>

function aboutOperation(deviceId: string, operation: Operation, soc: number): About {
  const isHold = operation.mode === 'hold'
  return {
    device_id: deviceId,
    mode: operation.mode,
    target_soc_percent: operation.targetSocPercent,
    battery_soc_percent: Math.round(soc * 1e4) / 100,
    max_power_w: isHold ? null : operation.maxPowerW,
    max_power_w_requested: operation.requestedPowerW,
    max_power_w_clamped: !isHold && operation.maxPowerW !== operation.requestedPowerW,
    valid_until: new Date(operation.until).toISOString(),
  }
}

const asOperation = ({ requested }: Accepted): Operation => ({
  ...requested,
  id: '',
  isReplacement: false,
  origin: 'dispatch',
  caller: null,
})

function presentValue(present: Snapshot, register: Step['register']): number | boolean {
  return {
    [registers.strategy]: present.strategy,
    [registers.socTarget]: present.socTarget,
    [registers.gridCharge]: present.gridCharge,
    [registers.setpoint]: present.setpoint,
  }[register]
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
