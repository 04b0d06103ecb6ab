import { isIP } from 'node:net'
import type { Kysely } from 'kysely'
import { nameKey } from '../envelope.ts'
import type { Filtering } from '../filtering/filtering.ts'
import { DnsProfileCreate } from '../filtering/profiles/schema.ts'
import { canonicalIpv6, sharesAddress, subnet4, subnet6 } from '../interfaces/subnet.ts'
import { ListUrl } from '../lists/schema.ts'
import { problemFields, problemOf } from '../problems.ts'
import type { Tables } from '../tables.ts'
import type { FoundClient } from './found-dns.ts'
import type { DnsImportReport } from './schema.ts'
import { type ImportTarget, listIdsByUrl, profileNames, readTargets } from './store.ts'

export interface ClientImportDependencies {
  readonly db: Kysely<Tables>
  readonly filtering: Pick<Filtering, 'profiles'>
}

interface ClientImport {
  readonly by: string
  /** Notes what does not come along. */
  readonly leave: (about: string, reason: string) => void
}

/**
 * Makes a profile of each client, for the devices here that have its addresses, or its name. A device or an interface that has a
 * profile keeps it, and so does a profile of that name.
 */
export async function importClients(
  { db, filtering: { profiles } }: ClientImportDependencies,
  clients: readonly FoundClient[],
  { by, leave }: ClientImport,
): Promise<DnsImportReport['clients']> {
  const counts = { found: clients.length, created: 0, existing: 0 }
  const listIds = await listIdsByUrl(db)
  const [known, all, taken] = [await profileNames(db), await readTargets(db), new Set<ImportTarget>()]
  for (const client of clients) {
    if (known.has(nameKey(client.name.trim()))) {
      counts.existing += 1
      continue
    }
    const lists = listsOf(client, listIds)
    if (lists.missing > 0) leave(client.name, describeMissing(lists))
    // A profile without any list would block less than the client was used to.
    if (lists.missing > 0 && lists.ids?.length === 0) continue
    const targets = targetsOf(client, all)
    const free = targets.filter((target) => !target.hasProfile && !taken.has(target))
    const parsed = DnsProfileCreate.safeParse(profileOf(client, free, lists.ids))
    if (!parsed.success) {
      leave(client.name, parsed.error.issues[0]?.message ?? 'does not fit')
      continue
    }
    const problem = await problemOf(() => profiles.create(parsed.data, by))
    if (problem !== undefined) leave(client.name, problemFields(problem)[0]?.message ?? problem.message)
    else {
      counts.created += 1
      known.add(nameKey(client.name.trim()))
      for (const target of free) taken.add(target)
      if (free.length === 0) leave(client.name, unassigned(client, targets))
    }
  }
  return counts
}

function unassigned({ addresses }: FoundClient, targets: readonly ImportTarget[]): string {
  if (targets.length > 0) return 'its profile is there; its devices have another one already'
  if (addresses === null) return 'its profile is there, and no interface to have it'
  return 'its profile is there, and no device has its address or name; assign it to one'
}

interface ClientLists {
  /** Null for all lists. */
  readonly ids: readonly string[] | null
  /** Lists that hold for a client and are not here. */
  readonly missing: number
}

/** The lists of a client, by their addresses in the form in which they are kept here. */
function listsOf({ lists }: FoundClient, listIds: ReadonlyMap<string, string>): ClientLists {
  if (lists === null) return { ids: null, missing: 0 }
  const urls = new Set(lists.map((url) => ListUrl.safeParse(url).data ?? url))
  const ids = [...urls].flatMap((url) => listIds.get(url) ?? [])
  return { ids, missing: urls.size - ids.length }
}

function describeMissing({ ids, missing }: ClientLists): string {
  if (ids?.length === 0) return 'none of its lists is here, so that it gets no profile; take over the lists, too'
  return missing === 1 ? 'one of its lists is not here' : `${missing} of its lists are not here`
}

const profileOf = (client: FoundClient, targets: readonly ImportTarget[], lists: ClientLists['ids']) => ({
  name: client.name,
  lists,
  rules: client.rules,
  services: client.services,
  safe_search: client.safeSearch,
  youtube: client.youtube,
  peer_ids: targets.filter(({ kind }) => kind === 'peer').map(({ id }) => id),
  interfaces: targets.filter(({ kind }) => kind === 'interface').map(({ id }) => id),
})

/** The devices and interfaces that are a client: all interfaces, those of its addresses, or the device of its name. */
function targetsOf({ addresses, peerNames }: FoundClient, targets: readonly ImportTarget[]): ImportTarget[] {
  if (addresses === null) return targets.filter(({ kind }) => kind === 'interface')
  const networks = new Set(addresses.flatMap((text) => networkOf(text) ?? []))
  // Most are single addresses, which are the same text or none; only true networks are calculated with.
  const wide = [...networks].filter((network) => !isSingle(network))
  const isWithin = (own: string) => networks.has(own) || wide.some((network) => sharesAddress(network, own))
  const interfaces = targets.filter(
    ({ kind, networks: own }) => kind === 'interface' && own.some((one) => networks.has(one)),
  )
  const within = new Set(interfaces.map(({ id }) => id))
  const peers = targets.filter(({ kind }) => kind === 'peer')
  const atAddress = peers.filter((peer) => !within.has(peer.interface) && peer.networks.some(isWithin))
  const found = [...interfaces, ...atAddress]
  const names = new Set(peerNames.map(nameKey))
  return found.length > 0 ? found : peers.filter((peer) => names.has(peer.nameKey))
}

const isSingle = (network: string): boolean => network.endsWith(network.includes(':') ? '/128' : '/32')

/** An address or a network in canonical CIDR form; undefined for a MAC address and names of clients. */
function networkOf(text: string): string | undefined {
  const [address = '', prefix] = text.trim().split('/')
  const family = isIP(address)
  if (prefix !== undefined && !/^\d+$/.test(prefix)) return undefined
  const size = prefix === undefined ? (family === 4 ? 32 : 128) : Number(prefix)
  if (family === 0 || size > (family === 4 ? 32 : 128)) return undefined
  return family === 4 ? subnet4(`${address}/${size}`).cidr : subnet6(`${canonicalIpv6(address)}/${size}`).cidr
}
