import type { Database } from '@hearth/database'
import type { Tables } from '../database/tables.ts'
import { conflict } from '../problems.ts'
import type { Settings } from '../settings/schema.ts'
import { firstFreePort, type HostLinks } from './host-links.ts'
import type { InterfaceProposal } from './schema.ts'
import { allInterfaceRows } from './store.ts'
import { overlaps } from './subnet.ts'

/** The third number of the networks that are proposed, from the first to the last. */
const range = { first: 13, last: 254 }

/** A name, network and port that are free, to begin a new interface with. */
export async function proposeInterface(parts: {
  database: Database<Tables>
  host: HostLinks
  settings: () => Settings
}): Promise<InterfaceProposal> {
  const rows = await allInterfaceRows(parts.database.query)
  const host = await parts.host.networks()
  const names = new Set(rows.map((row) => row.name))
  let number = 0
  while (names.has(`wg${number}`) || (await parts.host.isTaken(`wg${number}`))) number += 1
  for (let third = range.first; third <= range.last; third += 1) {
    const address = `10.13.${third}.1/24`
    const address6 = `fd13:13:${third}::1/64`
    const taken = [
      ...rows.flatMap((row) => [row.address, row.address6 ?? []].flat()),
      ...host.map((each) => each.network),
    ]
    const clashes = taken.some((network) => overlaps(network, network.includes(':') ? address6 : address))
    if (clashes) continue
    const settings = parts.settings()
    return {
      name: `wg${number}`,
      address,
      address6,
      listen_port: await firstFreePort(parts.database.query, parts.host),
      dns: settings.default_dns,
      mtu: settings.default_mtu,
    }
  }
  throw conflict('address', 'Every network from 10.13.13.0/24 to 10.13.254.0/24 is taken')
}
