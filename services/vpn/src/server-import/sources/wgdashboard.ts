import { isKey } from '../../wireguard/keys.ts'
import { splitList } from '../../envelope.ts'
import type { FoundPeer } from '../found-server.ts'
import type { ForeignRow, ForeignStore } from '../../foreign-files/foreign-store.ts'

/** Ending of the table of peers that WGDashboard keeps off the interface. */
const restricted = '_restrict_access'

/** What WGDashboard knows of the peers of an interface, which is named as its table is. */
export interface DashboardPeers {
  readonly interface: string
  readonly peers: readonly FoundPeer[]
}

/** Returns true if the database is that of WGDashboard. */
export const isDashboardDatabase = (store: ForeignStore): boolean => interfacesIn(store).length > 0

/** Reads the database of WGDashboard, `wgdashboard.db`: names, private keys and routes; the servers stand in their own files. */
export function readDashboardDatabase(store: ForeignStore): DashboardPeers[] {
  return interfacesIn(store).map((name) => ({
    interface: name,
    peers: [
      ...store.rows(name).flatMap((row) => peerOf(row, true)),
      ...store.rows(name + restricted).flatMap((row) => peerOf(row, false)),
    ],
  }))
}

const interfacesIn = ({ tables }: ForeignStore): string[] =>
  [...tables].filter((table) => tables.has(table + restricted))

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '')
const keyOf = (value: unknown): string | null => (isKey(textOf(value)) ? textOf(value) : null)

function peerOf(row: ForeignRow, enabled: boolean): FoundPeer[] {
  const publicKey = keyOf(row['id'])
  if (publicKey === null) return []
  const { name, allowed_ip: addresses, endpoint_allowed_ip: routed, keepalive } = row
  return [
    {
      name: textOf(name) === '' ? undefined : textOf(name),
      publicKey,
      privateKey: keyOf(row['private_key']),
      presharedKey: keyOf(row['preshared_key']),
      addresses: splitList(textOf(addresses)),
      routed: textOf(routed) === '' ? undefined : splitList(textOf(routed)),
      keepalive: typeof keepalive === 'number' ? keepalive : undefined,
      enabled,
      expiresAt: null,
    },
  ]
}
