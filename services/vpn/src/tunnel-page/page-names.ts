import { pageLabel } from '../filtering/peer-names/peer-names.ts'
import type { InterfaceRow } from '../tables.ts'
import { gatewaysOf } from '../interfaces/desired-devices.ts'

type NamedInterface = Pick<InterfaceRow, 'name' | 'address' | 'address6' | 'created_at'>

/** The labels under which the page of an interface is found in DNS, and its addresses. */
export interface PageNames {
  readonly interface: string
  readonly addresses: readonly string[]
  /** Below the suffix of peers' names, the shortest first. */
  readonly labels: readonly string[]
}

/**
 * The names of the page: `my` with the oldest interface, and `my.wg0` with every one. A name has one address of each kind, and a
 * device reaches the page of its own interface alone. `isTaken`: a peer is found under `my`.
 */
export function pageNames(interfaces: readonly NamedInterface[], isTaken: boolean): PageNames[] {
  const used = new Set<string>()
  return interfaces
    .toSorted((one, other) => one.created_at - other.created_at || (one.name < other.name ? -1 : 1))
    .map((row, place) => {
      const label = `${pageLabel}.${row.name.toLowerCase().replaceAll('_', '-').replace(/-+$/, '')}`
      const own = used.has(label) ? [] : [label]
      used.add(label)
      const short = place === 0 && !isTaken ? [pageLabel] : []
      return { interface: row.name, addresses: gatewaysOf(row), labels: [...short, ...own] }
    })
}
