import { BlockList, isIP } from 'node:net'
import { commaList, settingKind } from '@hearth/runtime'
import { plainAddress } from './plain-address.ts'

/** A set of addresses and networks that answers whether an address is in it. */
export interface AddressSet {
  has(address: string): boolean
  readonly isEmpty: boolean
}

/**
 * Makes a set of IPv4 and IPv6 addresses and CIDR networks. An IPv4 address written as `::ffff:a.b.c.d` is the same as
 * `a.b.c.d`. Throws a `RangeError` that names the entry that is neither.
 */
export function createAddressSet(entries: readonly string[]): AddressSet {
  const list = new BlockList()
  for (const entry of entries) addEntry(list, entry)
  return {
    isEmpty: entries.length === 0,
    has(address) {
      if (entries.length === 0) return false
      const plain = plainAddress(address)
      const family = isIP(plain)
      return family !== 0 && list.check(plain, family === 6 ? 'ipv6' : 'ipv4')
    },
  }
}

function addEntry(list: BlockList, entry: string): void {
  const [address = '', prefix, ...rest] = entry.split('/')
  const family = isIP(address)
  const bits = family === 6 ? 128 : 32
  const length = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN
  if (family === 0 || rest.length > 0 || !(length >= 0 && length <= bits))
    throw new RangeError(`${entry} is neither an IP address nor a network`)
  list.addSubnet(address, length, family === 6 ? 'ipv6' : 'ipv4')
}

/** A setting that lists addresses and networks; empty when it is not set. */
export const networkList = commaList
  .refine((entries) => {
    try {
      createAddressSet(entries)
      return true
    } catch {
      return false
    }
  }, 'must be a comma-separated list of IP addresses and CIDR networks')
  .meta(settingKind('network list'))
  .default([])
