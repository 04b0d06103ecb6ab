import { isWildcard, wildcardOver } from '../../sites/domains.ts'
import { at, isObject, itemsOf, type JsonLocation, membersOf, textsOf } from './json-location.ts'

type MatcherSets = readonly Readonly<Record<string, JsonLocation>>[]

/** One step of a request: a handler, or steps under a condition. */
export type Step =
  | { readonly kind: 'always'; readonly handler: JsonLocation }
  | {
      readonly kind: 'when'
      readonly location: JsonLocation
      /** Matcher sets without those of hosts, of which one must hold, each with its members. */
      readonly sets: MatcherSets
      readonly steps: readonly Step[]
      /** The handler under the condition, when there is exactly one. */
      readonly only: JsonLocation | undefined
      /** True when it keeps later steps from being tried, though it may answer nothing itself. */
      readonly isExclusive: boolean
    }

/** The routes of a server as one host meets them. */
export interface HostView {
  /** All steps in one line: what a subroute without a condition holds stands in its place. */
  readonly steps: readonly Step[]
  /** The routes for the host, those of subroutes after the one they stand in. */
  readonly routes: readonly JsonLocation[]
  /** Routes for the host inside others that come too late: all requests are answered before. */
  readonly unreached: readonly JsonLocation[]
}

interface PreparedSet {
  readonly hosts: ReadonlySet<string> | undefined
  readonly rest: MatcherSets[number]
}
interface Prepared {
  readonly location: JsonLocation
  readonly sets: readonly PreparedSet[]
  readonly group: string | undefined
  readonly isTerminal: boolean
  readonly handlers: readonly { readonly location: JsonLocation; readonly list?: PreparedList }[]
}
interface PreparedList {
  readonly routes: readonly Prepared[]
  readonly byHost: ReadonlyMap<string, readonly number[]>
  readonly hostless: readonly number[]
}

/** The routes of one server, by host. */
export class ServerHosts {
  readonly #list: PreparedList
  readonly #goesOn: (answer: JsonLocation) => boolean
  readonly #hosts = new Set<string>()
  #visits = 0

  /** `goesOn` is true for answers after which later routes still count. */
  constructor(routes: JsonLocation | undefined, goesOn: (answer: JsonLocation) => boolean) {
    this.#goesOn = goesOn
    this.#list = this.#prepare(routes)
  }

  /** Every host some route is for. */
  get hosts(): ReadonlySet<string> {
    return this.#hosts
  }

  /** Number of routes visited so far, for all hosts. */
  get visits(): number {
    return this.#visits
  }

  /** Top routes that are for no host. */
  get hostless(): JsonLocation[] {
    return this.#list.hostless.flatMap((index) => this.#list.routes[index]?.location ?? [])
  }

  view(host: string): HostView {
    const routes: JsonLocation[] = []
    const unreached: JsonLocation[] = []
    const { steps } = this.#restrict(this.#list, { host, routes, unreached, groups: new Set() })
    return { steps, routes, unreached }
  }

  #prepare(routes: JsonLocation | undefined): PreparedList {
    const prepared = itemsOf(routes).map((location) => this.#prepareRoute(location))
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

  #prepareRoute(location: JsonLocation): Prepared {
    const group = at(location, 'group')?.value
    return {
      location,
      sets: itemsOf(at(location, 'match')).map((set) => this.#prepareSet(set)),
      group: typeof group === 'string' && group !== '' ? group : undefined,
      isTerminal: at(location, 'terminal')?.value === true,
      handlers: itemsOf(at(location, 'handle')).map((handler) =>
        at(handler, 'handler')?.value === 'subroute'
          ? { location: handler, list: this.#prepare(at(handler, 'routes')) }
          : { location: handler },
      ),
    }
  }

  #prepareSet(set: JsonLocation): PreparedSet {
    const { host, ...rest } = Object.fromEntries(membersOf(set))
    const names = textsOf(host)?.map((name) => name.toLowerCase())
    if (host === undefined) return { hosts: undefined, rest }
    if (names === undefined || !names.every(isPlainHost)) return { hosts: undefined, rest: { ...rest, host } }
    for (const name of names) this.#hosts.add(name)
    return { hosts: new Set(names), rest }
  }

  #restrict(list: PreparedList, on: Visit): { steps: Step[]; ends: boolean } {
    const steps: Step[] = []
    let ends = false
    for (const index of indexesFor(list, on.host)) {
      const route = list.routes[index]
      const sets = route && setsFor(route, on.host)
      if (route === undefined || sets === undefined || (route.group !== undefined && on.groups.has(route.group)))
        continue
      const { location, group, isTerminal } = route
      if (ends) {
        on.unreached.push(location)
        continue
      }
      this.#visits += 1
      on.routes.push(location)
      const isAlways = sets.length === 0
      const before = isAlways ? on : { ...on, groups: new Set(on.groups) }
      const handlers = route.handlers.map((handler) => this.#handler(handler, before))
      const inner = handlers.flatMap((handler) => handler.steps)
      if (isAlways) steps.push(...inner)
      else steps.push(whenOf(route, sets, inner))
      if (isAlways && group !== undefined) on.groups.add(group)
      if (!isAlways || route.handlers.some((handler) => this.#goesOn(handler.location))) continue
      ends = isTerminal || handlers.some((handler) => handler.ends)
      // What comes after on the outermost level is for other hosts.
      if (ends && list === this.#list) break
    }
    return { steps, ends }
  }

  #handler({ location, list }: Prepared['handlers'][number], on: Visit): { steps: Step[]; ends: boolean } {
    if (list !== undefined) return this.#restrict(list, on)
    return { steps: [{ kind: 'always', handler: location }], ends: isAnswer(location) }
  }
}

function whenOf({ location, group, isTerminal }: Prepared, sets: MatcherSets, steps: readonly Step[]): Step {
  const [first, ...more] = steps
  const only = first?.kind === 'always' && more.length === 0 ? first.handler : undefined
  return { kind: 'when', location, sets, steps, only, isExclusive: isTerminal || group !== undefined }
}

interface Visit {
  readonly host: string
  readonly routes: JsonLocation[]
  readonly unreached: JsonLocation[]
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
function setsFor({ sets }: Prepared, host: string): MatcherSets | undefined {
  if (sets.length === 0) return []
  const wildcard = wildcardOver(host)
  const holds = ({ hosts }: PreparedSet) =>
    hosts === undefined || hosts.has(host) || (wildcard !== undefined && hosts.has(wildcard))
  const left = sets.filter(holds).map(({ rest }) => rest)
  if (left.length === 0) return undefined
  return left.some((rest) => Object.keys(rest).length === 0) ? [] : left
}

/** Returns true when the handler answers every request itself. */
export function isAnswer(handler: JsonLocation): boolean {
  const name = at(handler, 'handler')?.value
  if (name === 'static_response' || name === 'error') return true
  if (name === 'file_server') return at(handler, 'pass_thru')?.value !== true
  return name === 'reverse_proxy' && isObject(handler.value) && at(handler, 'handle_response') === undefined
}

/** Steps under a condition. */
export type When = Extract<Step, { kind: 'when' }>

/** Returns where a step stands. */
export const locationOf = (step: Step): JsonLocation => (step.kind === 'always' ? step.handler : step.location)

/** Returns true when no request gets past the steps. */
export function endsAlways(steps: readonly Step[]): boolean {
  return steps.some((step) => step.kind === 'always' && isAnswer(step.handler))
}
