import { addressGroup as groupOf } from '@hearth/http/client-address'
import { plainAddress } from '@hearth/http/plain-address'

/** What counts as one sender: an IPv4 address, also in IPv6 form, or the network of an IPv6 address, /64. */
export const addressGroup = (address: string): string => groupOf(plainAddress(address))
