import { pageLabel } from '../filtering/peer-names/peer-names.ts'
import type { HostName } from '../filtering/records/resolver-records.ts'
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
 * The names of the page of each interface: `my`, which leads a device to the page of its own interface, and `my.wg0`. `isTaken`: a
 * peer is found under `my`.
 */
export function pageNames(interfaces: readonly NamedInterface[], isTaken: boolean): PageNames[] {
  const used = new Set<string>()
  return interfaces
    .toSorted((one, other) => one.created_at - other.created_at || (one.name < other.name ? -1 : 1))
    .map((row) => {
      const label = `${pageLabel}.${row.name.toLowerCase().replaceAll('_', '-').replace(/-+$/, '')}`
      const own = used.has(label) ? [] : [label]
      used.add(label)
      const short = isTaken ? [] : [pageLabel]
      return { interface: row.name, addresses: gatewaysOf(row), labels: [...short, ...own] }
    })
}

/** The same names as the resolver answers them. A client that is in no tunnel is led to the page of the oldest interface. */
export const hostNamesOf = (names: readonly PageNames[]): HostName[] =>
  names.flatMap(({ labels, addresses }, place) =>
    labels.flatMap((label): HostName[] =>
      label !== pageLabel
        ? [{ label, addresses }]
        : [...(place === 0 ? [{ label, addresses }] : []), { label, addresses, gateway: addresses[0] }],
    ),
  )
