import { parseJson } from '@hearth/runtime'
import { z } from 'zod'
import type { DispatchRow } from '../tables.ts'
import { registers, type Register } from './registers.ts'
import { DispatchMode, StopReason, type DispatchState } from './schema.ts'

const finite = z.number()
const timestamp = z.int().min(0)

/** A requested operation, caps and clamps applied. Times are milliseconds since the epoch, powers watts. */
export const Operation = z
  .strictObject({
    id: z.string().regex(/^[0-9a-f]{32}$/),
    mode: DispatchMode,
    targetSocPercent: finite.nullable(),
    requestedPowerW: finite.positive().nullable(),
    /** 0 for hold, which has no budget. */
    maxPowerW: finite.min(0),
    requestedUntil: timestamp,
    until: timestamp,
    isReplacement: z.boolean(),
    /** Endpoint the operation came from. */
    origin: z.enum(['dispatch', 'energy', 'plan']),
    caller: z.string().nullable(),
  })
  .refine(
    ({ mode, targetSocPercent, requestedPowerW, maxPowerW }) =>
      mode === 'hold'
        ? targetSocPercent === null && requestedPowerW === null && maxPowerW === 0
        : targetSocPercent !== null && requestedPowerW !== null && maxPowerW <= requestedPowerW,
    'has members its mode does not have',
  )
export type Operation = z.infer<typeof Operation>

/** Returns true for an operation that is to be ended; undefined while nothing is active. */
export type IsMeant = (operation: Operation | undefined) => boolean

/** The registers as they were before the first operation, as the device counts. */
export const Snapshot = z.strictObject({
  strategy: z.int().min(0).max(255),
  socTarget: finite,
  gridCharge: z.boolean(),
  setpoint: finite,
})
export type Snapshot = z.infer<typeof Snapshot>

/** One write: decided, on its way, read back. The value of a setpoint is null until the plant was measured. */
export const Step = z.strictObject({
  register: z.enum(registers),
  value: z.union([finite, z.boolean()]).nullable(),
  status: z.enum(['planned', 'sent', 'confirmed']),
})
export type Step = z.infer<typeof Step>

const applying = { operation: Operation, snapshot: Snapshot, steps: z.array(Step), commandedW: finite }
const ending = { operation: Operation, snapshot: Snapshot, stopReason: StopReason, faultCode: z.string().nullable() }

const Record = z.discriminatedUnion('phase', [
  z.strictObject({
    phase: z.literal('idle'),
    stopReason: StopReason.nullable(),
    faultCode: z.string().nullable(),
  }),
  /** The operation is known, nothing was written yet. */
  z.strictObject({ phase: z.literal('precheck'), operation: Operation }),
  z.strictObject({ phase: z.literal('applying'), ...applying }),
  z.strictObject({ phase: z.literal('replacing'), ...applying }),
  z.strictObject({
    phase: z.literal('controlling'),
    operation: Operation,
    snapshot: Snapshot,
    /** Setpoint written last, discharge positive. */
    commandedW: finite,
    write: z.enum(['sent', 'confirmed']),
  }),
  z.strictObject({
    phase: z.literal('restoring'),
    ...ending,
    steps: z.array(Step),
    attempts: z.int().min(0),
  }),
  /** Restoring failed; it is retried. */
  z.strictObject({
    phase: z.literal('fault'),
    ...ending,
    attempts: z.int().min(1),
    nextRestoreAt: timestamp,
  }),
])

/** The dispatch of one device as it is persisted. */
export const DispatchRecord = Record.refine(isPossible, 'cannot be')
export type DispatchRecord = z.infer<typeof Record>
export type PhaseOf<Phase extends DispatchRecord['phase']> = Extract<DispatchRecord, { phase: Phase }>

export const idle = (stopReason: StopReason | null = null, faultCode: string | null = null): PhaseOf<'idle'> => ({
  phase: 'idle',
  stopReason,
  faultCode,
})

const { strategy, socTarget, gridCharge, setpoint } = registers
const restoreOrder: readonly Register[] = [setpoint, setpoint, gridCharge, socTarget, strategy]

/** The registers an operation of the mode writes, in order. */
export const applyOrder = (mode: DispatchMode): readonly Register[] =>
  mode === 'hold' ? [strategy, gridCharge, setpoint] : [strategy, socTarget, gridCharge, setpoint]

function isPossible(record: DispatchRecord): boolean {
  switch (record.phase) {
    case 'applying':
    case 'replacing':
      return (
        record.operation.isReplacement === (record.phase === 'replacing') &&
        areStepsPossible(record.steps, applyOrder(record.operation.mode))
      )
    case 'restoring':
      return areStepsPossible(record.steps, restoreOrder) && record.steps.every(({ value }) => value !== null)
    case 'controlling':
      return isWithin(record)
    case 'idle':
    case 'precheck':
    case 'fault':
      return true
  }
}

/** Steps run one after the other, each with a value; the last one of a plan ends its phase. */
function areStepsPossible(steps: readonly Step[], order: readonly Register[]): boolean {
  const ranks = steps.map(({ status }) => ['confirmed', 'sent', 'planned'].indexOf(status))
  return (
    steps.length === order.length &&
    steps.every(({ register }, index) => register === order[index]) &&
    steps.every(({ register, value, status }) => value !== null || (register === setpoint && status === 'planned')) &&
    steps.filter(({ status }) => status === 'sent').length <= 1 &&
    ranks.every((rank, index) => index === 0 || rank >= (ranks[index - 1] ?? 0)) &&
    steps.at(-1)?.status !== 'confirmed'
  )
}

function isWithin({ operation, commandedW }: PhaseOf<'controlling'>): boolean {
  const { mode, maxPowerW } = operation
  // A limit of the grid connection leaves a charge less than its own power.
  if (mode === 'charge_from_grid') return commandedW <= 0 && commandedW >= -maxPowerW
  return commandedW >= 0 && commandedW <= maxPowerW
}

/** The state as the API names it. */
export function stateOf(record: DispatchRecord): DispatchState {
  switch (record.phase) {
    case 'controlling':
      return { charge_from_grid: 'charging', discharge_to_load: 'discharging', hold: 'holding' }[
        record.operation.mode
      ] as DispatchState
    case 'restoring':
      return record.stopReason === 'target_reached' && record.steps.every(({ status }) => status === 'planned')
        ? 'target_reached'
        : 'restoring'
    case 'fault':
      return 'fault_restore_pending'
    case 'idle':
    case 'precheck':
    case 'applying':
    case 'replacing':
      return record.phase
  }
}

/** Returns true if only some of the settings are changed or restored. A settled operation does not count, though its end restores all the same. */
export const isRestoreRequired = ({ phase }: DispatchRecord): boolean =>
  phase === 'applying' || phase === 'replacing' || phase === 'restoring' || phase === 'fault'

/** The operation that is active or still being ended. */
export const operationOf = (record: DispatchRecord): Operation | undefined =>
  record.phase === 'idle' ? undefined : record.operation

/** The operation that is being begun or carried out, and not ended yet. */
export const underWayOf = (record: DispatchRecord): Operation | undefined =>
  record.phase === 'restoring' || record.phase === 'fault' ? undefined : operationOf(record)

/** Columns of a record: state and pending restore as columns, the rest as JSON. */
type RecordColumns = Pick<DispatchRow, 'state' | 'restore_required' | 'record'>

export const storedRecord = (record: DispatchRecord): RecordColumns => ({
  state: stateOf(record),
  restore_required: isRestoreRequired(record) ? 1 : 0,
  record: JSON.stringify(record),
})

/** Reads a row; undefined when it is no record, an impossible one, or not what its columns say. */
export function readRecord(row: RecordColumns): DispatchRecord | undefined {
  const { data } = DispatchRecord.safeParse(parseJson(row.record))
  if (data === undefined) return undefined
  return stateOf(data) === row.state && isRestoreRequired(data) === (row.restore_required !== 0) ? data : undefined
}
