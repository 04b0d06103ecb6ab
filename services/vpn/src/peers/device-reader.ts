import type { Log } from '@hearth/runtime'
import type { DeviceState, PeerState } from '../wireguard/device.ts'

/** What the sampler needs of the data plane. */
export interface DeviceReader {
  read(name: string): Promise<DeviceState | undefined>
  readPeer(name: string, publicKey: string): Promise<PeerState | undefined>
}

/** What is read of a device: null when it is not there, undefined when that cannot be told, which is logged. */
export async function readOrUnknown<T>(
  log: Log,
  name: string,
  read: () => Promise<T | undefined>,
): Promise<T | null | undefined> {
  try {
    return (await read()) ?? null
  } catch (error) {
    log.warn({ err: error, interface: name }, 'reading the device failed')
    return undefined
  }
}
