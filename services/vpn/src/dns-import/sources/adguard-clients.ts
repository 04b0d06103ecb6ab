import { z } from 'zod'
import { serviceWith } from '../../filtering/profiles/services.data.ts'
import type { DnsFinds } from '../found-dns.ts'

const texts = z
  .array(z.string())
  .nullish()
  .transform((items) => items ?? [])

/** Times in which services are not blocked, by weekday; `time_zone` alone is an empty one. */
const Times = z.record(z.string(), z.unknown()).nullish()

/** Services that are off: a list of ids in older versions. */
export const AdGuardServices = z
  .union([texts, z.object({ ids: texts, schedule: Times })])
  .nullish()
  .transform((held) => (Array.isArray(held) ? { ids: held, schedule: undefined } : held))

const SafeSearch = z.object({ enabled: z.boolean().default(false), youtube: z.boolean().default(true) })
type SafeSearch = z.output<typeof SafeSearch>

/** Members about safe search: older versions have one switch for all search engines. */
export const adGuardSafeSearch = { safe_search: SafeSearch.nullish(), safesearch_enabled: z.boolean().nullish() }

/** Safe search as either kind of version says it; null when nothing is said. */
export function safeSearchOf({
  safe_search: held,
  safesearch_enabled: isOn,
}: {
  readonly safe_search?: SafeSearch | null | undefined
  readonly safesearch_enabled?: boolean | null | undefined
}): SafeSearch | null {
  return held ?? (isOn === true ? { enabled: true, youtube: true } : null)
}

const Client = z.object({
  name: z.string(),
  ids: texts,
  upstreams: texts,
  use_global_settings: z.boolean().default(true),
  filtering_enabled: z.boolean().default(true),
  parental_enabled: z.boolean().default(false),
  safebrowsing_enabled: z.boolean().default(false),
  ...adGuardSafeSearch,
  use_global_blocked_services: z.boolean().default(true),
  blocked_services: AdGuardServices,
  ignore_querylog: z.boolean().default(false),
})
type Client = z.output<typeof Client>

/** Clients of `AdGuardHome.yaml`; older versions have the list alone. */
export const AdGuardClients = z
  .union([z.array(Client), z.object({ persistent: z.array(Client).nullish() })])
  .nullish()
  .transform((held) => (Array.isArray(held) ? held : (held?.persistent ?? [])))

/** What holds for every client that has nothing of its own. */
export interface AdGuardForAll {
  readonly services: z.output<typeof AdGuardServices>
  readonly safeSearch: SafeSearch | null
}

/** Ids of services that have another one here; the others are the same. */
const otherIds: Readonly<Record<string, string>> = {
  activision_blizzard: 'blizzard',
  amazon_streaming: 'prime-video',
  battle_net: 'blizzard',
  blizzard_entertainment: 'blizzard',
  disneyplus: 'disney-plus',
  electronic_arts: 'ea',
  epic_games: 'fortnite',
  hbomax: 'hbo-max',
  leagueoflegends: 'riot',
  origin: 'ea',
  riot_games: 'riot',
  twitter: 'x',
  valorant: 'riot',
  xboxlive: 'xbox',
}

/** Takes what holds for single clients, and for all of them beside lists and rules. */
export function takeAdGuardClients(finds: DnsFinds, clients: readonly Client[], forAll: AdGuardForAll): void {
  let others = 0
  for (const client of clients) {
    const { name, use_global_settings: isLikeAll, use_global_blocked_services: hasSharedServices } = client
    leaveOut(finds, client)
    if (isLikeAll && hasSharedServices) {
      others += 1
      continue
    }
    finds.clients.push({
      name,
      addresses: client.ids,
      peerNames: [name],
      lists: isLikeAll || client.filtering_enabled ? null : [],
      rules: [],
      services: servicesOf(finds, name, hasSharedServices ? forAll.services : client.blocked_services),
      ...safetyOf(isLikeAll ? forAll.safeSearch : safeSearchOf(client)),
    })
  }
  // Last: what single clients have stands before it.
  if ((forAll.services?.ids ?? []).length > 0 || forAll.safeSearch?.enabled === true) {
    const shared = { services: servicesOf(finds, 'all clients', forAll.services), ...safetyOf(forAll.safeSearch) }
    finds.clients.push({ name: 'AdGuard Home', addresses: null, peerNames: [], lists: null, rules: [], ...shared })
  }
  if (others > 0)
    finds.omit(
      'clients',
      others === 1 ? 'one has nothing of its own but a name' : `${others} have nothing of their own but a name`,
    )
}

function servicesOf(finds: DnsFinds, about: string, services: AdGuardForAll['services']): string[] {
  const [known, unknown] = [new Set<string>(), [] as string[]]
  for (const id of services?.ids ?? []) {
    const ours = otherIds[id] ?? id
    if (serviceWith(ours) === undefined) unknown.push(id)
    else known.add(ours)
  }
  if (unknown.length > 0) finds.omit(about, `services that are not known here: ${unknown.join(', ')}`)
  const days = Object.keys(services?.schedule ?? {}).filter((key) => key !== 'time_zone')
  if (days.length > 0 && known.size > 0)
    finds.omit(about, 'the times in which its services are allowed: they are off always; choose times in its profile')
  return [...known]
}

const safetyOf = (held: AdGuardForAll['safeSearch']) => ({
  safeSearch: held?.enabled === true,
  youtube: held?.enabled === true && held.youtube ? ('moderate' as const) : null,
})

/** Names what a client has and a profile has not. */
function leaveOut(finds: DnsFinds, client: Client): void {
  const { name, upstreams, use_global_settings: isLikeAll } = client
  if (upstreams.some((text) => text.trim() !== '' && !text.trim().startsWith('#')))
    finds.omit(name, 'upstream servers of its own; there are none for single devices here')
  if (!isLikeAll && (client.parental_enabled || client.safebrowsing_enabled))
    finds.omit(name, 'the look-ups at AdGuard for adult or dangerous sites; take lists for that')
  if (client.ignore_querylog) finds.omit(name, 'its queries are not logged: switch that off at the peer')
}
