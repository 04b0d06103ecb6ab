import { QueueFull, type createKeyedQueue, type Log } from '@hearth/runtime'
import type { BringDependencies } from './bring.ts'
import { DeviceError, type DeviceState, type WireGuardDriver } from './device.ts'
import type { DesiredDevice, Drift } from './drift.ts'
import type { Firewall } from './firewall.ts'
import type { BatchDependencies, FollowedDevice } from './peer-batch.ts'
import type { ReadBack } from './read-back.ts'

/** State of an interface after the last operation or check. */
export interface TunnelState {
  readonly status: 'up' | 'down' | 'error'
  /** Reason for the status `error`; null otherwise. */
  readonly reason: string | null
}

/** Dependencies of the controller. */
export interface TunnelsOptions {
  readonly driver: WireGuardDriver
  readonly firewall: Firewall
  /** All interfaces as the database wants them, stopped ones too, or the one of that name. */
  readonly desired: (name?: string) => Promise<readonly DesiredDevice[]>
  readonly log: Log
  readonly onDrift?: (drift: Drift) => void
}

/** Context that the parts of the controller share. */
export interface TunnelContext extends BatchDependencies, BringDependencies {
  readonly options: TunnelsOptions
  readonly queue: ReturnType<typeof createKeyedQueue>
  readonly devices: Map<string, FollowedDevice>
  readonly states: Map<string, TunnelState>
  readonly readings: Map<string, Promise<DeviceState | undefined>>
  readonly readBack: ReadBack
  readonly report: (drift: Drift) => void
}

/** The controller's own record of a device, created on first use. */
export function followed({ devices }: TunnelContext, name: string): FollowedDevice {
  const device = devices.get(name) ?? { name, known: undefined, readingTime: 0 }
  devices.set(name, device)
  return device
}

/** Runs work when all earlier work on the interface has ended. Throws a `DeviceError` when too much waits already. */
export async function withLock<T>(context: TunnelContext, name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await context.queue.run(name, work)
  } catch (error) {
    if (error instanceof QueueFull) throw new DeviceError(error.message, { cause: error })
    throw error
  }
}
