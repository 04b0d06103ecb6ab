import type { Log, Timers } from '@hearth/runtime'
import { advance, nextStep, type Effect } from './dispatch-machine.ts'
import type { Ending } from './endings.ts'
import { endingFor } from './endings.ts'
import type { DeviceGateway, WriteCause } from './ports.ts'
import { operationOf, type DispatchRecord, type Operation } from './record.ts'
import type { RecordKeeper } from './record-keeper.ts'
import type { StopReason } from './schema.ts'

/** Dependencies of work on the operation of one device. */
export interface Run {
  readonly deviceId: string
  readonly keeper: RecordKeeper
  readonly timers: Timers
  readonly log: Log
  /** Throws a `Problem` while the device is not configured. */
  readonly gateway: () => DeviceGateway
  /** Throws when the work must not go on, not even with handing back. */
  readonly checkHalted: () => void
  /** Rejects with `dispatch_unverified` when what the operation's mode needs is not verified any more. */
  readonly checkVerified: (operation: Operation) => Promise<void>
  readonly ended: (operation: Operation, stopReason: StopReason) => void
}

/** A setpoint, discharge positive, and as the register counts it. */
export interface Aim {
  readonly commandedW: number
  readonly value: number
}

/**
 * Takes the steps of a start or replacement one after the other, each persisted before and after. `aim` measures for the
 * setpoint; `proceed` is asked before each step and throws to give up.
 */
export async function applyPlan(run: Run, ways: { aim: () => Promise<Aim>; proceed: () => void }): Promise<void> {
  const { keeper } = run
  for (;;) {
    ways.proceed()
    const record = presentRecord(keeper)
    const step = nextStep(record)
    if (step === undefined) return
    if (step.value === null) {
      const aim = await ways.aim()
      await keeper.save(advance(record, { kind: 'aim', ...aim }).record)
      continue
    }
    const { record: sent, effects } = advance(record, { kind: 'send' })
    await keeper.save(sent)
    await carryOut(run, effects, 'dispatch')
    await keeper.save(advance(sent, { kind: 'confirm' }).record)
  }
}

/** Tells a settled operation's device another setpoint. */
export async function command(run: Run, aim: Aim): Promise<void> {
  const { record, effects } = advance(presentRecord(run.keeper), { kind: 'command', ...aim })
  await run.keeper.save(record)
  await carryOut(run, effects, 'dispatch')
  await run.keeper.save(advance(record, { kind: 'confirm' }).record)
}

/**
 * Puts everything back, or tries again to. A disk that refuses does not keep the device from being handed back: its record
 * there leads to the same. Throws what the device did; the record then waits for the next attempt.
 */
export async function handBack(run: Run, ending: Ending): Promise<void> {
  const { keeper } = run
  const begun = advance(presentRecord(keeper), { kind: 'stop', ...ending })
  await keeper.saveIfPossible(begun.record)
  await carryOut(run, begun.effects, 'restore')
  try {
    while (keeper.record?.phase === 'restoring') await takeRestoreStep(run, keeper.record)
  } catch (error) {
    run.checkHalted()
    const record = presentRecord(keeper)
    const faultCode = endingFor(error).faultCode ?? 'internal_error'
    if (record.phase === 'restoring')
      await keeper.saveIfPossible(advance(record, { kind: 'fail', at: run.timers.now(), faultCode }).record)
    throw error
  }
}

async function takeRestoreStep(run: Run, record: DispatchRecord): Promise<void> {
  run.checkHalted()
  const sent = advance(record, { kind: 'send' })
  await run.keeper.saveIfPossible(sent.record)
  run.checkHalted()
  await carryOut(run, sent.effects, 'restore')
  run.checkHalted()
  const confirmed = advance(sent.record, { kind: 'confirm' })
  await run.keeper.saveIfPossible(confirmed.record)
  await carryOut(run, confirmed.effects, 'restore')
}

/** Gives a wish up before anything was written. */
export async function abandon(run: Run, ending: Ending): Promise<void> {
  const { record, effects } = advance(presentRecord(run.keeper), { kind: 'abandon', ...ending })
  await run.keeper.saveIfPossible(record)
  await carryOut(run, effects, 'dispatch')
}

async function carryOut(run: Run, effects: readonly Effect[], cause: WriteCause['cause']): Promise<void> {
  const operation = operationOf(presentRecord(run.keeper))
  for (const effect of effects) {
    if (effect.kind === 'ended') run.ended(effect.operation, effect.stopReason)
    else
      await run.gateway().writeConfirmed(effect.register, effect.value, {
        cause,
        caller: operation?.caller ?? null,
        operationId: operation?.id ?? null,
        check: cause === 'dispatch' && operation !== undefined ? () => run.checkVerified(operation) : undefined,
      })
  }
}

/** The record, which whoever works on it has looked at before. */
export function presentRecord({ record }: RecordKeeper): DispatchRecord {
  if (record === undefined) throw new Error('a dispatch record that cannot be read is being worked on')
  return record
}
