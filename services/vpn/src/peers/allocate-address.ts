import type { Kysely } from 'kysely'
import type { InterfaceRow, PeerRow, Tables } from '../tables.ts'
import { ipv4OfNumber, ipv6Host, isPeerAddress4, subnet4, subnet6 } from '../interfaces/subnet.ts'
import { isIpv6Used, usedAddresses } from './store.ts'

/** A pair of free addresses. */
export type FreeAddress = Pick<PeerRow, 'ip' | 'ip_number' | 'ipv6'>

/** Number of used addresses read at a time. */
const window = 256

/**
 * The next free address of an interface: the first one after the address assigned last, going round at the end. So a freed
 * address, which an old device may still use, comes back as late as the network allows. The IPv6 address has the same place in
 * its network. Undefined when every address is taken.
 *
 * WireGuard silently moves an address that two peers share to the last one, so an address is never assigned twice.
 */
export async function allocateAddress(db: Kysely<Tables>, row: InterfaceRow): Promise<FreeAddress | undefined> {
  const subnet = subnet4(row.address)
  const start = Math.min(Math.max(subnet.network + 1, row.next_host), subnet.broadcast)
  const first = await firstFree(db, row, { from: start, to: subnet.broadcast - 1 })
  return first ?? firstFree(db, row, { from: subnet.network + 1, to: start - 1 })
}

async function firstFree(
  db: Kysely<Tables>,
  row: InterfaceRow,
  range: { from: number; to: number },
): Promise<FreeAddress | undefined> {
  const subnet = subnet4(row.address)
  let candidate = range.from
  while (candidate <= range.to) {
    const taken = await usedAddresses(db, row.name, { from: candidate, limit: window })
    const used = new Set(taken)
    const end = taken.length < window ? range.to : Math.min(range.to, taken.at(-1) ?? range.to)
    for (; candidate <= end; candidate += 1) {
      if (used.has(candidate) || !isPeerAddress4(subnet, candidate)) continue
      const ipv6 = mirroredIpv6(row, candidate)
      if (ipv6 === undefined || (ipv6 !== null && (await isIpv6Used(db, ipv6)))) continue
      return { ip: ipv4OfNumber(candidate), ip_number: candidate, ipv6 }
    }
  }
  return undefined
}

/**
 * The IPv6 address at the same place as an IPv4 one; null when the interface has no IPv6, undefined when its network is too
 * small for that place or this host has it.
 */
export function mirroredIpv6(row: InterfaceRow, ipv4: number): string | null | undefined {
  if (row.address6 === null) return null
  const subnet = subnet6(row.address6)
  const offset = ipv4 - subnet4(row.address).network
  if (BigInt(offset) >= 2n ** BigInt(128 - subnet.prefix)) return undefined
  return subnet.network + BigInt(offset) === subnet.host ? undefined : ipv6Host(subnet, offset)
}
