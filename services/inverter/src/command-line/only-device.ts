import { OperatorError } from '@hearth/runtime'
import type { AdminDevice } from '../devices/schema.ts'
import { callService } from './call-service.ts'

/** Returns the id of the only inverter; throws an `OperatorError` when there are others, which a command has to name. */
export async function onlyDevice(): Promise<string> {
  const { devices } = (await callService({ method: 'GET', path: '/admin/api/devices' })) as { devices: AdminDevice[] }
  const [first, second] = devices
  if (first === undefined) throw new OperatorError('there is no inverter')
  if (second !== undefined)
    throw new OperatorError(`--device: must be one of ${devices.map(({ device_id: id }) => id).join(', ')}`)
  return first.device_id
}
