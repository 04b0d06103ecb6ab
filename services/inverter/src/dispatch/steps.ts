import type { Log, Timers } from '@hearth/runtime'
import { advance, nextStep, type Aim, type Effect, type Ending, type Input } from './dispatch-machine.ts'
import { endingFor, errorForCaller } from './endings.ts'
import { readSnapshot, type DeviceGateway } from './measure.ts'
import { applySteps, type Conventions } from './plan.ts'
import type { ConnectionView } from './grid-connection.ts'
import type { PersistedRecord } from './persisted-record.ts'
import { operationOf, type DispatchRecord, type Operation } from './record.ts'
import type { StopReason } from './schema.ts'

/** Dependencies of work on the operation of one device. */
export interface Run {
  readonly deviceId: string
  readonly persisted: PersistedRecord
  readonly timers: Timers
  readonly log: Log
  /** Throws a `Problem` while the device is not configured. */
  readonly gateway: () => DeviceGateway
  readonly connection: ConnectionView
  /** Throws when the work must stop at once, even a restore. */
  readonly checkHalted: () => void
  /** Rejects with `dispatch_unverified` when what the operation's mode needs is not verified any more. */
  readonly checkVerified: (operation: Operation) => Promise<void>
  readonly ended: (operation: Operation, stopReason: StopReason) => void
}

/**
 * Takes the steps of a start or replacement one after the other, each persisted before and after. `aim` measures for the
 * setpoint; `proceed` is called before each step and throws to give up.
 */
export async function applyPlan(run: Run, hooks: { aim: () => Promise<Aim>; proceed: () => void }): Promise<void> {
  const { persisted } = run
  for (;;) {
    hooks.proceed()
    const record = currentRecord(persisted)
    const step = nextStep(record)
    if (step === undefined) return
    if (step.value === null) {
      const aim = await hooks.aim()
      await persisted.save(advance(record, { kind: 'aim', ...aim }).record)
      continue
    }
    await takeStep(run, { kind: 'send' }, 'dispatch')
  }
}

/** Writes another setpoint for a settled operation. */
export const command = (run: Run, aim: Aim): Promise<void> => takeStep(run, { kind: 'command', ...aim }, 'dispatch')

/**
 * Restores all settings, or tries again to. A disk that refuses does not keep the device from being handed back: the record on
 * it has the same result. Throws the error of the device; the record then waits for the next attempt.
 */
export async function handBack(run: Run, ending: Ending): Promise<void> {
  const { persisted } = run
  const begun = advance(currentRecord(persisted), { kind: 'stop', ...ending })
  await persisted.saveIfPossible(begun.record)
  await carryOut(run, begun.effect, 'restore')
  try {
    while (persisted.record?.phase === 'restoring') {
      run.checkHalted()
      await takeStep(run, { kind: 'send' }, 'restore')
    }
  } catch (error) {
    run.checkHalted()
    const record = currentRecord(persisted)
    const faultCode = endingFor(error).faultCode ?? 'internal_error'
    if (record.phase === 'restoring')
      await persisted.saveIfPossible(advance(record, { kind: 'fail', at: run.timers.now(), faultCode }).record)
    throw error
  }
}

/** Persists that a write is about to be sent, sends it, and persists that it is confirmed. */
async function takeStep(run: Run, input: Input, cause: 'dispatch' | 'restore'): Promise<void> {
  const { persisted } = run
  const isRestore = cause === 'restore'
  const save = (record: DispatchRecord) => (isRestore ? persisted.saveIfPossible(record) : persisted.save(record))
  const sent = advance(currentRecord(persisted), input)
  await save(sent.record)
  if (isRestore) run.checkHalted()
  await carryOut(run, sent.effect, cause)
  if (isRestore) run.checkHalted()
  const confirmed = advance(sent.record, { kind: 'confirm' })
  await save(confirmed.record)
  await carryOut(run, confirmed.effect, cause)
}

async function carryOut(run: Run, effect: Effect | undefined, cause: 'dispatch' | 'restore'): Promise<void> {
  const operation = operationOf(currentRecord(run.persisted))
  if (effect?.kind === 'ended') run.ended(effect.operation, effect.stopReason)
  if (effect?.kind !== 'write') return
  await run.gateway().writeConfirmed(effect.register, effect.value, {
    cause,
    caller: operation?.caller ?? null,
    operationId: operation?.id ?? null,
    check: cause === 'dispatch' && operation !== undefined ? () => run.checkVerified(operation) : undefined,
  })
}

/** Returns the record; throws when the stored one cannot be read, which was checked before. */
export function currentRecord({ record }: PersistedRecord): DispatchRecord {
  if (record === undefined) throw new Error('a dispatch record that cannot be read is being worked on')
  return record
}

/**
 * Stores what is about to be done, and the way back, before anything is written. A replacement keeps the way back of the
 * operation it replaces, and leaves it running when the disk refuses; anything else is abandoned when something fails.
 */
export async function prepare(
  run: Run,
  operation: Operation,
  hooks: { conventions: Conventions; proceed: () => void },
): Promise<void> {
  const { persisted, timers } = run
  const record = currentRecord(persisted)
  if (record.phase === 'controlling') {
    const steps = applySteps(operation, record.snapshot, hooks.conventions)
    await persisted.save(advance(record, { kind: 'submit', operation, steps }).record)
    return
  }
  await persisted.save(advance(record, { kind: 'submit', operation, steps: null }).record)
  try {
    hooks.proceed()
    const snapshot = await readSnapshot(run.gateway(), () => timers.monotonic())
    const steps = applySteps(operation, snapshot, hooks.conventions)
    await persisted.save(advance(currentRecord(persisted), { kind: 'snapshot', snapshot, steps }).record)
  } catch (error) {
    run.checkHalted()
    const abandoned = advance(currentRecord(persisted), { kind: 'abandon', ...endingFor(error) })
    await persisted.saveIfPossible(abandoned.record)
    await carryOut(run, abandoned.effect, 'dispatch')
    throw errorForCaller(error)
  }
}
