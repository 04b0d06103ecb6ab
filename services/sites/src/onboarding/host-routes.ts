import { isWildcard, wildcardOver } from '../sites/domains.ts'
import { at, isObject, itemsOf, membersOf, textsOf, type Place } from './json-place.ts'

/** A route as one host meets it: its matchers without those of hosts. */
export interface HostRoute {
  readonly place: Place
  /** Matcher sets of which one must hold, each with its members; none when the route is for every request. */
  readonly sets: readonly Readonly<Record<string, Place>>[]
  readonly group: string | undefined
  /** Whether no later route is asked. */
  readonly isTerminal: boolean
  readonly handlers: readonly HostHandler[]
}

/** A handler; a subroute has its routes. */
export interface HostHandler {
  readonly place: Place
  readonly routes?: readonly HostRoute[]
}

/** What a host meets on a server, and which routes these are. */
export interface HostView {
  readonly routes: readonly HostRoute[]
  /** Routes for the host inside others that come too late: all requests are answered before. */
  readonly unreached: readonly Place[]
  /** The same for hosts that are served by the same routes. */
  readonly key: string
}

interface PreparedSet {
  readonly hosts: ReadonlySet<string> | undefined
  readonly rest: Readonly<Record<string, Place>>
}
interface Prepared {
  readonly place: Place
  readonly sets: readonly PreparedSet[]
  readonly group: string | undefined
  readonly isTerminal: boolean
  readonly handlers: readonly { readonly place: Place; readonly list?: PreparedList }[]
}
interface PreparedList {
  readonly routes: readonly Prepared[]
  readonly byHost: ReadonlyMap<string, readonly number[]>
  readonly hostless: readonly number[]
}

/** The routes of one server, by host. */
export class ServerHosts {
  readonly #list: PreparedList
  readonly #goesOn: (answer: Place) => boolean
  readonly #hosts = new Set<string>()
  #visits = 0

  /** `goesOn` tells answers after which the routes that follow still count. */
  constructor(routes: Place | undefined, goesOn: (answer: Place) => boolean) {
    this.#goesOn = goesOn
    this.#list = this.#prepare(routes)
  }

  /** Every host some route is for. */
  get hosts(): ReadonlySet<string> {
    return this.#hosts
  }

  /** Routes that were looked at so far, of all hosts. */
  get visits(): number {
    return this.#visits
  }

  /** Top routes that are for no host. */
  get hostless(): Place[] {
    return this.#list.hostless.flatMap((index) => this.#list.routes[index]?.place ?? [])
  }

  view(host: string): HostView {
    const keys: string[] = []
    const unreached: Place[] = []
    const { routes } = this.#restrict(this.#list, { host, keys, unreached, groups: new Set() })
    return { routes, unreached, key: keys.join(' ') }
  }

  #prepare(routes: Place | undefined): PreparedList {
    const prepared = itemsOf(routes).map((place) => this.#prepareRoute(place))
    const byHost = new Map<string, number[]>()
    const hostless: number[] = []
    prepared.forEach(({ sets }, index) => {
      const isHostless = sets.length === 0 || sets.some(({ hosts }) => hosts === undefined)
      if (isHostless) hostless.push(index)
      for (const host of isHostless ? [] : new Set(sets.flatMap(({ hosts }) => [...(hosts ?? [])]))) {
        const indexes = byHost.get(host)
        if (indexes) indexes.push(index)
        else byHost.set(host, [index])
      }
    })
    return { routes: prepared, byHost, hostless }
  }

  #prepareRoute(place: Place): Prepared {
    const group = at(place, 'group')?.value
    return {
      place,
      sets: itemsOf(at(place, 'match')).map((set) => this.#prepareSet(set)),
      group: typeof group === 'string' && group !== '' ? group : undefined,
      isTerminal: at(place, 'terminal')?.value === true,
      handlers: itemsOf(at(place, 'handle')).map((handler) =>
        at(handler, 'handler')?.value === 'subroute'
          ? { place: handler, list: this.#prepare(at(handler, 'routes')) }
          : { place: handler },
      ),
    }
  }

  #prepareSet(set: Place): PreparedSet {
    const { host, ...rest } = Object.fromEntries(membersOf(set))
    const names = textsOf(host)?.map((name) => name.toLowerCase())
    if (host === undefined) return { hosts: undefined, rest }
    if (names === undefined || !names.every(isPlainHost)) return { hosts: undefined, rest: { ...rest, host } }
    for (const name of names) this.#hosts.add(name)
    return { hosts: new Set(names), rest }
  }

  #restrict(list: PreparedList, on: Visit): { routes: HostRoute[]; ends: boolean } {
    const routes: HostRoute[] = []
    let ends = false
    for (const index of indexesFor(list, on.host)) {
      const route = list.routes[index]
      const sets = route && setsFor(route, on.host)
      if (route === undefined || sets === undefined || (route.group !== undefined && on.groups.has(route.group)))
        continue
      if (ends) {
        on.unreached.push(route.place)
        continue
      }
      this.#visits += 1
      on.keys.push(route.place.path)
      const isAlways = sets.length === 0
      const before = isAlways ? on : { ...on, groups: new Set(on.groups) }
      const handlers = route.handlers.map((handler) => this.#handler(handler, before))
      routes.push({ place: route.place, sets, group: route.group, isTerminal: route.isTerminal, handlers })
      if (isAlways && route.group !== undefined) on.groups.add(route.group)
      if (!isAlways || handlers.some(({ place }) => this.#goesOn(place))) continue
      ends = route.isTerminal || handlers.some((handler) => handler.ends)
      // What comes after on the outermost level is for other hosts.
      if (ends && list === this.#list) break
    }
    return { routes, ends }
  }

  #handler({ place, list }: Prepared['handlers'][number], on: Visit): HostHandler & { ends: boolean } {
    if (list === undefined) return { place, ends: isAnswer(place) }
    const { routes, ends } = this.#restrict(list, on)
    return { place, routes, ends }
  }
}

interface Visit {
  readonly host: string
  readonly keys: string[]
  readonly unreached: Place[]
  readonly groups: Set<string>
}

function isPlainHost(name: string): boolean {
  return name !== '' && !name.includes('{') && !(isWildcard(name) ? name.slice(2) : name).includes('*')
}

function indexesFor(list: PreparedList, host: string): number[] {
  const wildcard = wildcardOver(host)
  const found = [
    ...(list.byHost.get(host) ?? []),
    ...((wildcard === undefined ? undefined : list.byHost.get(wildcard)) ?? []),
    ...list.hostless,
  ]
  return [...new Set(found)].sort((one, other) => one - other)
}

/** The matcher sets that are left for the host; none for always, undefined for never. */
function setsFor({ sets }: Prepared, host: string): Readonly<Record<string, Place>>[] | undefined {
  if (sets.length === 0) return []
  const wildcard = wildcardOver(host)
  const holds = ({ hosts }: PreparedSet) =>
    hosts === undefined || hosts.has(host) || (wildcard !== undefined && hosts.has(wildcard))
  const left = sets.filter(holds).map(({ rest }) => rest)
  if (left.length === 0) return undefined
  return left.some((rest) => Object.keys(rest).length === 0) ? [] : left
}

/** Whether the handler answers every request itself. */
export function isAnswer(handler: Place): boolean {
  const name = at(handler, 'handler')?.value
  if (name === 'static_response' || name === 'error') return true
  if (name === 'file_server') return at(handler, 'pass_thru')?.value !== true
  return name === 'reverse_proxy' && isObject(handler.value) && at(handler, 'handle_response') === undefined
}
