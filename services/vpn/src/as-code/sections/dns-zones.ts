import { z } from 'zod'
import { DnsZoneCreate } from '../../filtering/zones/schema.ts'
import { allZoneRows } from '../../filtering/zones/store.ts'
import { readZone } from '../../filtering/zones/zone-names.ts'
import { faultsOf } from '../faults.ts'
import type { Section } from '../section.ts'

const ZoneEntry = z.strictObject({ servers: DnsZoneCreate.shape.servers })
type ZoneEntry = z.infer<typeof ZoneEntry>

/** Zones with servers of their own, by name. */
export const dnsZonesSection: Section<ZoneEntry> = {
  name: 'dns_zones',
  noun: 'zone',
  form: 'map',
  schema: ZoneEntry,
  names: DnsZoneCreate.shape.zone,
  defaults: {},
  prunes: 'first',
  identify: (_, name) => {
    const read = readZone(name)
    const zone = 'zone' in read ? read.zone : name
    return { key: zone, name: zone }
  },
  async read({ parts }) {
    const rows = await allZoneRows(parts.db)
    const held = rows.map((row) => ({
      id: row.id,
      key: row.zone,
      name: row.zone,
      value: { servers: JSON.parse(row.servers) as string[] },
    }))
    return held.toSorted((a, b) => (a.key < b.key ? -1 : 1))
  },
  async apply({ parts, by }, { create, change }) {
    const { zones } = parts.dns
    return [
      ...(await faultsOf(
        change,
        ({ wanted }) => wanted.path,
        ({ held, members }) => zones.update(held.id, members),
      )),
      ...(await faultsOf(
        create,
        ({ path }) => path,
        ({ name, value }) => zones.create({ zone: name, ...value }, by),
      )),
    ]
  },
  async remove({ parts }, extra) {
    for (const { id } of extra) await parts.dns.zones.remove(id)
  },
}
