import { addressBytes } from '../address-bytes.ts'
import { wordAt } from './client-table.ts'

/** Returns the IPv4 address of a gateway as a signed number; 0 for none. */
export function gatewayNumber(address: string | undefined): number {
  const bytes = address === undefined ? undefined : addressBytes(address)
  return bytes?.length === 4 ? wordAt(bytes, 0) : 0
}
