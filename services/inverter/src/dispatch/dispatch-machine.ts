import { restoreSteps } from './plan.ts'
import { idle, type DispatchRecord, type Operation, type PhaseOf, type Snapshot, type Step } from './record.ts'
import { registers, type Register } from './registers.ts'
import type { StopReason } from './schema.ts'

/** Reason for ending an operation. */
export interface Ending {
  readonly stopReason: StopReason
  readonly faultCode: string | null
}

/** A setpoint, discharge positive, and as the register counts it. */
export interface Aim {
  readonly commandedW: number
  readonly value: number
}

/** An input to the state machine of a record. The resulting record is persisted before its effect is carried out. */
export type Input =
  /** An operation that passed every check. With steps it replaces a running one, whose snapshot it keeps. */
  | { readonly kind: 'submit'; readonly operation: Operation; readonly steps: readonly Step[] | null }
  /** The operation cannot start, and nothing was written. */
  | ({ readonly kind: 'abandon' } & Ending)
  | { readonly kind: 'snapshot'; readonly snapshot: Snapshot; readonly steps: readonly Step[] }
  /** The setpoint is decided. */
  | ({ readonly kind: 'aim' } & Aim)
  /** The next step is about to be sent. */
  | { readonly kind: 'send' }
  /** The register reads as it was written. */
  | { readonly kind: 'confirm' }
  /** Another setpoint for a settled operation. */
  | ({ readonly kind: 'command' } & Aim)
  /** Hand the device back, or try again to. */
  | ({ readonly kind: 'stop' } & Ending)
  /** Handing back failed; `at` is in milliseconds since the epoch. */
  | { readonly kind: 'fail'; readonly at: number; readonly faultCode: string }

/** An effect to carry out once the record is persisted. */
export type Effect =
  | { readonly kind: 'write'; readonly register: Register; readonly value: number | boolean }
  | { readonly kind: 'ended'; readonly operation: Operation; readonly stopReason: StopReason }

export interface Advance {
  readonly record: DispatchRecord
  readonly effect: Effect | undefined
}

/** The record and input do not go together: a mistake in this service. */
export class ImpossibleInput extends Error {
  override readonly name = 'ImpossibleInput'
}

/** The next record. Pure; throws `ImpossibleInput` for an input the phase does not take. */
export function advance(record: DispatchRecord, input: Input): Advance {
  switch (input.kind) {
    case 'submit':
      return only(submit(record, input))
    case 'abandon':
      if (record.phase !== 'precheck') throw impossible(record, input)
      return ended(record.operation, input)
    case 'snapshot':
      if (record.phase !== 'precheck') throw impossible(record, input)
      return only({
        phase: 'applying',
        operation: record.operation,
        snapshot: input.snapshot,
        steps: [...input.steps],
        commandedW: 0,
      })
    case 'aim':
      return only(aim(record, input))
    case 'send':
      return send(record, input)
    case 'confirm':
      return confirm(record, input)
    case 'command':
      return command(record, input)
    case 'stop':
      return stop(record, input)
    case 'fail':
      return only(fail(record, input))
  }
}

const only = (record: DispatchRecord): Advance => ({ record, effect: undefined })

/** The operation is over, with the reason of its stop. */
const ended = (operation: Operation, { stopReason, faultCode }: Ending): Advance => ({
  record: idle(stopReason, faultCode),
  effect: { kind: 'ended', operation, stopReason },
})

const impossible = (record: DispatchRecord, input: Input) =>
  new ImpossibleInput(`${input.kind} does not go with ${record.phase}`)

type InputOf<Kind extends Input['kind']> = Extract<Input, { kind: Kind }>

function submit(record: DispatchRecord, input: InputOf<'submit'>): DispatchRecord {
  const { operation, steps } = input
  if (record.phase === 'idle' && steps === null) return { phase: 'precheck', operation }
  if (record.phase !== 'controlling' || steps === null) throw impossible(record, input)
  const { snapshot, commandedW } = record
  return { phase: 'replacing', operation, snapshot, steps: [...steps], commandedW }
}

function aim(record: DispatchRecord, input: InputOf<'aim'>): DispatchRecord {
  if (!isApplying(record)) throw impossible(record, input)
  const steps = record.steps.map((step) => (step.value === null ? withValue(step, input.value) : step))
  return { ...record, steps, commandedW: input.commandedW }
}

const withValue = (step: Step, value: number): Step => ({ ...step, value })

const isApplying = (record: DispatchRecord): record is PhaseOf<'applying' | 'replacing'> =>
  record.phase === 'applying' || record.phase === 'replacing'

/** The step to be sent next; undefined when none is left or one is on its way. */
export function nextStep(record: DispatchRecord): Step | undefined {
  if (!isApplying(record) && record.phase !== 'restoring') return undefined
  return record.steps.some(({ status }) => status === 'sent')
    ? undefined
    : record.steps.find(({ status }) => status === 'planned')
}

function send(record: DispatchRecord, input: Input): Advance {
  const step = nextStep(record)
  const hasSteps = isApplying(record) || record.phase === 'restoring'
  if (step === undefined || step.value === null || !hasSteps) throw impossible(record, input)
  return {
    record: { ...record, steps: record.steps.map((each) => (each === step ? { ...step, status: 'sent' } : each)) },
    effect: { kind: 'write', register: step.register, value: step.value },
  }
}

function confirm(record: DispatchRecord, input: Input): Advance {
  if (record.phase === 'controlling' && record.write === 'sent') return only({ ...record, write: 'confirmed' })
  const hasSteps = isApplying(record) || record.phase === 'restoring'
  const step = hasSteps ? record.steps.find(({ status }) => status === 'sent') : undefined
  if (!hasSteps || step === undefined) throw impossible(record, input)
  if (step !== record.steps.at(-1)) {
    const steps = record.steps.map((each) => (each === step ? { ...step, status: 'confirmed' as const } : each))
    return only({ ...record, steps })
  }
  const { operation } = record
  if (record.phase === 'restoring') return ended(operation, record)
  const { snapshot, commandedW } = record
  return only({ phase: 'controlling', operation, snapshot, commandedW, write: 'confirmed' })
}

function command(record: DispatchRecord, input: InputOf<'command'>): Advance {
  if (record.phase !== 'controlling') throw impossible(record, input)
  return {
    record: { ...record, commandedW: input.commandedW, write: 'sent' },
    effect: { kind: 'write', register: registers.setpoint, value: input.value },
  }
}

/** An end that is under way keeps its reason: what comes later is only another attempt. */
function stop(record: DispatchRecord, input: InputOf<'stop'>): Advance {
  const { stopReason, faultCode } = input
  switch (record.phase) {
    case 'idle':
      throw impossible(record, input)
    case 'precheck':
      return ended(record.operation, input)
    case 'applying':
      // Steps are persisted as sent before they are: without such a record nothing was written to the device.
      if (record.steps.every(({ status }) => status === 'planned')) return ended(record.operation, input)
      return only(restoring(record, { stopReason, faultCode, attempts: 0 }))
    case 'replacing':
    case 'controlling':
      return only(restoring(record, { stopReason, faultCode, attempts: 0 }))
    case 'restoring':
    case 'fault':
      return only(restoring(record, record))
  }
}

function restoring(
  { operation, snapshot }: { operation: Operation; snapshot: Snapshot },
  { stopReason, faultCode, attempts }: Ending & { attempts: number },
): PhaseOf<'restoring'> {
  return { phase: 'restoring', operation, snapshot, stopReason, faultCode, steps: restoreSteps(snapshot), attempts }
}

/** Delay before the next attempt to restore, milliseconds: a second, doubling to 30 seconds. */
export const restoreDelayMs = (attempts: number): number => Math.min(30_000, 1000 * 2 ** Math.min(attempts - 1, 10))

function fail(record: DispatchRecord, input: InputOf<'fail'>): DispatchRecord {
  if (record.phase !== 'restoring') throw impossible(record, input)
  const { operation, snapshot, stopReason } = record
  const attempts = record.attempts + 1
  const nextRestoreAt = Math.max(0, Math.round(input.at)) + restoreDelayMs(attempts)
  return { phase: 'fault', operation, snapshot, stopReason, faultCode: input.faultCode, attempts, nextRestoreAt }
}
