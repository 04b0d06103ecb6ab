import type { Log } from '@hearth/runtime'
import type { Capabilities } from '../capabilities/capabilities.ts'
import type { Identity } from '../metrics/device-identity.ts'
import type { Devices } from './devices.ts'

/**
 * Creates the check of the firmware and serial number that a device reports on a new connection. It takes verifications away
 * when another firmware or another inverter answers, and rejects, so that nothing is written, when that cannot be stored.
 */
export function createIdentityCheck(devices: Devices, capabilities: Capabilities, log: Log) {
  return async (id: string, { firmware, serial }: Identity): Promise<'same' | 'changed'> => {
    const known = devices.find(id)
    if (known === undefined) return 'same'
    // A missing value means nothing: on a bad line the request for it may stay unanswered for a while.
    const identity = { firmware: firmware ?? known.firmware, serial: serial ?? known.serial }
    if (identity.firmware === known.firmware && identity.serial === known.serial) return 'same'
    const isOther = known.serial !== null && identity.serial !== known.serial
    const isUpdated = known.firmware !== null && identity.firmware !== known.firmware
    if (isOther) await capabilities.inverterChanged(id)
    else if (isUpdated) await capabilities.firmwareChanged(id, identity.firmware ?? '')
    // Not awaited: the device list may be waiting for the very operation that this is part of.
    void devices.setIdentity(id, identity).catch((error: unknown) => {
      log.error({ err: error, device: id }, 'the firmware could not be noted')
    })
    return isOther || isUpdated ? 'changed' : 'same'
  }
}
