import { DeviceError } from './device.ts'

/**
 * Passes a name on when the system and its tools take it as an interface name and nothing else: at most 15 characters, a letter
 * first (never a `-`), no path in it. Throws a `DeviceError` otherwise.
 */
export function checkedInterfaceName(name: string): string {
  if (!/^[A-Za-z][A-Za-z0-9_.-]{0,14}$/.test(name)) throw new DeviceError('not a name for an interface')
  return name
}
