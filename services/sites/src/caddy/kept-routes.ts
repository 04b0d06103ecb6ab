import type { SiteRecord } from '../sites/schema.ts'
import { keepText } from './canonical-json.ts'
import type { CompiledSite } from './desired-state.ts'
import type { SiteContext } from './site-routes.ts'

/** A route of a site as it was compiled, and what it was compiled from beside the record. */
interface KeptRoute extends RoutePlace {
  readonly id: number
  readonly passwordHashes: CompiledSite['passwordHashes']
  readonly rawRoutes: CompiledSite['rawRoutes']
  readonly route: object
  readonly notes: readonly string[]
}

/** Which route of a site it is, and what surrounds it. */
export interface RoutePlace {
  /** Tells the routes of one site from each other. */
  readonly name: string
  /** A text that differs when the options or the node do. */
  readonly surroundings: string
}

/** Maximum number of routes kept for a record: two or three of each of a few nodes. */
const maxKept = 12

const kept = new WeakMap<SiteRecord, KeptRoute[]>()

/**
 * A route of a site, which is compiled once: from one configuration to the next all sites but a few are the same. Nobody may
 * change it.
 */
export function keptRoute(
  site: CompiledSite,
  place: RoutePlace,
  { note, compile }: Pick<SiteContext, 'note'> & { readonly compile: (note: SiteContext['note']) => object },
): object {
  // Certificates of authorities are read anew each time, and few sites have some.
  if (site.clientAuthorities !== undefined || site.upstreamAuthorities !== undefined) return compile(note)
  const ofRecord = kept.get(site.record) ?? []
  const before = ofRecord.find((each) => each.name === place.name && each.surroundings === place.surroundings)
  const isSame =
    before?.id === site.id && before.passwordHashes === site.passwordHashes && before.rawRoutes === site.rawRoutes
  const now = before !== undefined && isSame ? before : compileKept(site, place, compile)
  if (now !== before) kept.set(site.record, [...ofRecord.filter((each) => each !== before).slice(1 - maxKept), now])
  for (const text of now.notes) note(site.id, text)
  return now.route
}

function compileKept(
  { id, passwordHashes, rawRoutes }: CompiledSite,
  place: RoutePlace,
  compile: (note: SiteContext['note']) => object,
): KeptRoute {
  const notes: string[] = []
  const route = keepText(compile((_, text) => void notes.push(text)))
  return { id, passwordHashes, rawRoutes, ...place, route, notes }
}

/** Returns the surroundings of sites that are not for everyone: the networks that reach them are among them. */
export const reachSurroundings = ({ options }: Pick<SiteContext, 'options'>, surroundings: string): string =>
  `${surroundings} ${JSON.stringify(options.reach)}`

let lastSurroundings = ''

/**
 * Returns what the routes of a site read of options and node; the same text as the last time where it can be, which compares at
 * once. What they do not read, such as the address of a certificate authority, makes no routes anew.
 */
export function surroundingsOf({ options, node }: Pick<SiteContext, 'options' | 'node'>): string {
  const { streamCloseDelay, maintenancePage } = options
  const { capabilities, httpsPort, trustedProxies, portal } = node
  const text = JSON.stringify({ streamCloseDelay, maintenancePage, capabilities, httpsPort, trustedProxies, portal })
  if (text !== lastSurroundings) lastSurroundings = text
  return lastSurroundings
}
