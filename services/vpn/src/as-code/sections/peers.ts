import { nameKey } from '../../envelope.ts'
import { networksBehind, sealContext } from '../../interfaces/desired-devices.ts'
import { limitView } from '../../limits/peer-limits.ts'
import { allListRows } from '../../lists/store.ts'
import { PeerName } from '../../peers/schema.ts'
import { tagsOf } from '../../peers/tags.ts'
import type { PeerQuotaSet } from '../../quotas/schema.ts'
import { allQuotaRows } from '../../quotas/store.ts'
import type { PeerQuotaRow, PeerRow } from '../../tables.ts'
import { namesOf, referencesTo } from '../names.ts'
import { secretPlace } from '../secrets.ts'
import type { Held, Section, SectionContext } from '../section.ts'
import { allPeerRows } from '../store.ts'
import { applyPeers, blocklistsOfPeer } from './peer-changes.ts'
import { PeerEntry, peerDefaults } from './peer-entry.ts'

/** The peers, by name; the one with the same public key is the same peer, whatever its name. */
export const peersSection: Section<PeerEntry> = {
  name: 'peers',
  noun: 'peer',
  form: 'map',
  schema: PeerEntry,
  names: PeerName,
  defaults: peerDefaults,
  secret: ['private_key', 'preshared_key'],
  needs: ['interfaces', 'dns_lists'],
  prunes: 'first',
  identify: (_, name) => ({ key: nameKey(name), name }),
  identity: ({ public_key: key }) => key,
  references: ({ interface: on, blocklists }) => [
    { section: 'interfaces', key: on, path: ['interface'], message: 'is no interface' },
    ...referencesTo({ ...blocklistsOfPeer, section: 'dns_lists' }, blocklists ?? []),
  ],
  read,
  apply: applyPeers,
  async remove({ parts }, extra) {
    if (extra.length > 0) await parts.peers.changeMany({ action: 'delete', ids: extra.map(({ id }) => id) })
  },
}

async function read(context: SectionContext): Promise<Held<PeerEntry>[]> {
  const { db } = context.parts
  const lists = namesOf(await allListRows(db))
  const quotas = new Map((await allQuotaRows(db)).map((row) => [row.peer_id, row]))
  const rows = await allPeerRows(db)
  return rows.map((row) => ({
    id: row.id,
    key: row.name_key,
    name: row.name,
    value: {
      interface: row.interface,
      ip: row.ip,
      ipv6: row.ipv6,
      public_key: row.public_key,
      ...secretsOf(context, row),
      routing_mode: row.routing_mode,
      allowed_ips: JSON.parse(row.allowed_ips) as string[],
      networks: networksBehind(row),
      persistent_keepalive: row.persistent_keepalive,
      enabled: row.enabled === 1,
      expires_at: row.expires_at === null ? null : new Date(row.expires_at).toISOString(),
      tags: tagsOf(row),
      client_isolation: row.client_isolation === 1,
      ...limitView(row),
      quota: quotaOf(quotas.get(row.id)),
      use_adblocker: row.dns_filtering === 1,
      blocklists: listNames(row, lists),
      dns_logging_enabled: row.dns_logging === 1,
    },
  }))
}

/** Keys of a peer for a file with secrets; for one without only whether there is a preshared key. */
function secretsOf({ parts: { sealer }, secrets }: SectionContext, row: PeerRow) {
  if (secrets === undefined) return { preshared_key: row.preshared_key !== null }
  const again = (sealed: string | null, own: string, place: string) =>
    sealed === null ? undefined : secrets.seal(sealer.open(sealed, own), place)
  const { id, public_key: key } = row
  return {
    private_key: again(row.private_key, sealContext.peerKey(id), secretPlace.peerKey(key)),
    preshared_key: again(row.preshared_key, sealContext.presharedKey(id), secretPlace.presharedKey(key)) ?? false,
  }
}

function quotaOf(row: PeerQuotaRow | undefined): PeerQuotaSet | null {
  if (row === undefined) return null
  const { bytes, counts, period, start_day, at_limit, slow_to: slow } = row
  return { bytes, counts, period, start_day, at_limit, slow_to: slow === null ? null : slow / 1000 }
}

/** Lists that are gone meanwhile are left out. */
function listNames({ dns_lists: ids }: PeerRow, lists: ReadonlyMap<string, string>): string[] | null {
  if (ids === null) return null
  return (JSON.parse(ids) as string[]).flatMap((id) => lists.get(id) ?? []).toSorted()
}
