import type { Capability } from '../capabilities/schema.ts'
import type { RunningOperation } from './cycle.ts'
import { Interrupted } from './endings.ts'
import { gateOf, type DispatchDevice } from './gate.ts'
import type { DispatchMode, DispatchRequest } from './schema.ts'
import type { Run } from './steps.ts'
import { judge, type Verdict } from './submission.ts'

/** Facts about one device that its operations are judged by. */
export interface DeviceFacts {
  readonly device: () => DispatchDevice | undefined
  /** The capabilities, with the sign of the grid power of an inverter. */
  readonly capabilities: (meterId: string) => Promise<readonly Capability[]>
  /** Registers that are not approved for writing. */
  readonly unapproved: () => readonly string[]
}

/** Judges a request by the facts of its device; throws the first `Problem` there is. */
export async function judgeDevice(
  request: DispatchRequest,
  device: DispatchDevice,
  { facts, run, meterId }: { facts: DeviceFacts; run: Run; meterId: string },
): Promise<Verdict> {
  const capabilities = await facts.capabilities(meterId)
  const limitW = run.connection.limitW()
  const { record } = run.persisted
  const now = run.timers.now()
  return judge(request, { now, device, capabilities, meterId, limitW, unapproved: facts.unapproved(), record })
}

/**
 * Rejects with `dispatch_unverified` when what a running operation needs is not verified any more, and with `Interrupted` when
 * the sign of the grid power is another one.
 */
export async function checkVerified(
  mode: DispatchMode,
  { meterId, conventions }: RunningOperation,
  { facts, run }: { facts: DeviceFacts; run: Pick<Run, 'connection'> },
): Promise<void> {
  const device = facts.device()
  if (device === undefined) return
  const capabilities = await facts.capabilities(meterId)
  const gate = gateOf(mode, { device, capabilities, meterId, limitW: run.connection.limitW() })
  if (gate.conventions.gridImportPositive !== conventions.gridImportPositive)
    throw new Interrupted('device_reconfigured')
}
