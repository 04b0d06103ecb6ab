import { parseIsoTime } from '@hearth/runtime'
import type { Capability } from '../capabilities/schema.ts'
import { invalid, Problem } from '../problems.ts'
import { gateOf, limitMissing, type DispatchDevice } from './gate.ts'
import { operationOf, type DispatchRecord, type Operation } from './record.ts'
import type { DispatchMode, DispatchRequest } from './schema.ts'

/** Maximum duration of an operation, and of one that only engineering mode allowed; milliseconds. */
export const maxDurationMs = { verified: 21_600_000, engineering: 1_800_000 } as const
/** Targets an operation may have, percent. */
const targetRange = { min: 5, max: 95 } as const

/** Facts that a request is judged by; none of them comes from the device. */
interface SubmissionContext {
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly device: DispatchDevice
  readonly capabilities: readonly Capability[]
  /** The inverter whose grid power the operation reads. */
  readonly meterId: string
  /** Limit of the grid connection, watts; null for none. */
  readonly limitW: number | null
  /** Registers the administrator did not approve. */
  readonly unapproved: readonly string[]
  /** Undefined when the stored one cannot be read. */
  readonly record: DispatchRecord | undefined
}

/** A request with caps and clamps applied, without what only its start decides. */
export type RequestedOperation = Omit<Operation, 'id' | 'isReplacement' | 'origin' | 'caller'>

/** The outcome for a request that is not refused. */
export type Verdict = ReturnType<typeof judge>

/** Caller of a request and the endpoint it used. */
export interface Submitter {
  readonly caller: string | null
  readonly origin: Operation['origin']
}

/** A request's submitter, and what may forbid it meanwhile. */
export interface Submission extends Submitter {
  /** Called when the request's turn has come, and before it begins; throws to refuse it. */
  readonly check?: () => void
}

/**
 * Throws for a request that may not begin any more. What somebody commands goes before a plan, also when it began while the plan
 * waited for its turn.
 */
export function checkTurn(record: DispatchRecord | undefined, { origin, check }: Submission): void {
  check?.()
  const active = record === undefined ? undefined : operationOf(record)
  if (origin !== 'plan' || active === undefined || active.origin === 'plan') return
  throw new Problem('dispatch_operation_conflict', `The operation ${active.id} goes before the plan`, {
    members: { operation_id: active.id },
  })
}

/** A request that was accepted. */
export type Accepted = Extract<Verdict, { kind: 'accepted' }>

/** Judges a request by everything that needs no device traffic, in a fixed order; throws the first `Problem` there is. */
export function judge(request: DispatchRequest, context: SubmissionContext) {
  const mode = availableMode(request)
  const requestedUntil = parseIsoTime(request.valid_until)
  const { now, record, meterId } = context
  if (requestedUntil === undefined || requestedUntil <= now)
    throw invalid('valid_until', 'is in the past', 'value_out_of_range')
  checkTarget(request)
  const maxW = limitOf(mode, context.device)
  checkApprovals(context.unapproved)
  const gate = gateOf(mode, context)
  checkRecord(request, record)
  const requestedPowerW = mode === 'hold' ? null : (request.max_power_w ?? maxW)
  const requested = {
    mode,
    targetSocPercent: mode === 'hold' ? null : (request.target_soc_percent ?? null),
    requestedPowerW,
    requestedUntil,
  }
  if (record?.phase === 'controlling' && isSame(record.operation, requested)) return { kind: 'unchanged' } as const
  const lifetimeMs = Math.min(requestedUntil - now, maxDurationMs[gate.openedBy])
  const maxPowerW = Math.min(requestedPowerW ?? 0, maxW)
  return {
    kind: 'accepted' as const,
    requested: { ...requested, maxPowerW, until: now + lifetimeMs } satisfies RequestedOperation,
    lifetimeMs,
    isEngineering: gate.openedBy === 'engineering',
    conventions: gate.conventions,
    meterId,
  }
}

function availableMode({ mode }: DispatchRequest): DispatchMode {
  if (mode === 'export_to_grid')
    throw new Problem('dispatch_mode_unavailable', 'The mode export_to_grid is reserved and not available')
  return mode
}

function checkTarget({ mode, target_soc_percent: target }: DispatchRequest): void {
  if (mode === 'hold' || target === undefined) return
  const { min, max } = targetRange
  if (target < min || target > max)
    throw invalid('target_soc_percent', `must be from ${min} to ${max}`, 'value_out_of_range')
}

/** The bound the operator set for the way the energy flows, watts; holding moves no energy and needs none. */
function limitOf(mode: DispatchMode, device: DispatchDevice): number {
  const { maxChargePowerW: charge, maxDischargePowerW: discharge } = device
  if (mode === 'hold') return 0
  const limit = { charge_from_grid: charge, discharge_to_load: discharge }[mode]
  if (limit === null || limit <= 0) throw new Problem('dispatch_limits_missing', limitMissing(mode, device.id))
  return limit
}

function checkApprovals(unapproved: readonly string[]): void {
  if (unapproved.length === 0) return
  const names = unapproved.join(', ')
  const how = `approve them on the page Inverters, Metrics and actions, or with \`hearth inverter approve ${unapproved.join(' ')}\``
  throw new Problem('write_not_allowed', `Not approved for writing: ${names}; ${how}`, {
    errors: unapproved.map((parameter) => ({
      parameter,
      code: 'write_not_allowed',
      detail: 'is not approved for writing',
    })),
  })
}

function checkRecord(request: DispatchRequest, record: DispatchRecord | undefined): void {
  if (record === undefined) throw corruptRecord()
  if (record.phase !== 'idle' && record.phase !== 'controlling')
    throw new Problem(
      'dispatch_restore_required',
      'The previous settings must be restored first; the service keeps retrying',
    )
  const expected = request.expected_operation_id
  const active = record.phase === 'controlling' ? record.operation.id : null
  if (expected !== undefined && expected !== active)
    throw new Problem(
      'dispatch_operation_conflict',
      active === null ? `${expected} is not active; nothing is` : `${expected} is not active; ${active} is`,
      { members: { operation_id: active } },
    )
}

/** The stored record of the device is damaged. */
export const corruptRecord = () =>
  new Problem('dispatch_record_corrupt', 'The stored dispatch record of this device cannot be read')

type Command = Pick<Operation, 'mode' | 'targetSocPercent' | 'requestedPowerW' | 'requestedUntil'>

const isSame = (running: Operation, requested: Command): boolean =>
  (['mode', 'targetSocPercent', 'requestedPowerW', 'requestedUntil'] as const).every(
    (member) => running[member] === requested[member],
  )

/** Returns true if a state of charge (a ratio) has reached the target; compared as the device's 32-bit floats. */
export function isGoalMet(
  { mode, targetSocPercent }: Pick<Operation, 'mode' | 'targetSocPercent'>,
  soc: number,
): boolean {
  if (mode === 'hold' || targetSocPercent === null) return false
  const target = Math.fround(targetSocPercent / 100)
  return mode === 'charge_from_grid' ? Math.fround(soc) >= target : Math.fround(soc) <= target
}
