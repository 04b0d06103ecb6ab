import { numberOf } from './caddy-values.ts'
import { type Condition, readCondition } from './conditions.ts'
import { endsAlways, locationOf, type Step, type When } from './host-routes.ts'
import type { SiteReading } from './site-reading.ts'
import { at, giveUp, type JsonLocation, Members } from './json-location.ts'
import {
  addAccess,
  isForwardAuth,
  type NetworkCondition,
  readBasicAuth,
  readForwardAuth,
  readMaintenance,
} from './read-authentication.ts'
import { isMaintenance, isRewriteToFound, readRoot } from './read-answers.ts'
import { readHeaderHandler, readPathHeaders } from './read-headers.ts'
import { readPath } from './read-path.ts'
import { nameOf, readTarget } from './read-target.ts'
import type { HeaderChange } from '../../sites/guard-schema.ts'
import { type DraftSite, finishDraft, type Phase, phases, SiteDraft } from './site-draft.ts'

/** A site’s routes as members of a site, and its passwords. */
export interface RoutesReading {
  readonly site: DraftSite
  readonly hashes: Readonly<Record<string, string>>
}

/**
 * Reads the steps of a host's requests. Throws `NotMappable` when a request could be answered otherwise by a site than by the routes,
 * apart from what is reported as changed or lost.
 */
export function readRoutes(steps: readonly Step[], reading: SiteReading): RoutesReading {
  const reader = new RoutesReader(reading)
  for (const step of steps) {
    if (reader.draft.target !== undefined)
      reading.lost(locationOf(step), 'never reached: all requests are answered before')
    else if (step.kind === 'always') reader.always(step.handler)
    else reader.when(step)
  }
  return { site: finishDraft(reader.finish()), hashes: reader.draft.hashes ?? {} }
}

/** Stages that may come earlier than they did, because requests are answered the same. */
const mayMove: Readonly<Partial<Record<Phase, Phase>>> = {
  response_headers: 'compression',
  access: 'compression',
  maintenance: 'compression',
  body: 'compression',
  basic_auth: 'compression',
  forward_auth: 'compression',
  request_headers: 'compression',
  compression: 'paths',
}

class RoutesReader {
  readonly draft = new SiteDraft()
  readonly #reading: SiteReading
  #reached = 0
  #root: JsonLocation | undefined
  #tried: JsonLocation | undefined

  constructor(reading: SiteReading) {
    this.#reading = reading
  }

  /** A handler that every request meets. */
  always(handler: JsonLocation): void {
    const name = at(handler, 'handler')?.value
    if (isMaintenance(handler)) return this.#maintenance(handler, [])
    switch (name) {
      case 'headers':
        return this.#headers(handler)
      case 'encode':
        return this.#encode(handler)
      case 'vars':
        this.#root = readRoot(handler) ?? this.#root
        return
      case 'request_body':
        return this.#body(handler)
      case 'authentication':
        if (this.draft.hashes !== undefined || this.draft.forwardAuth !== null) giveUp(handler, 'a second sign-in')
        this.#enter('basic_auth', handler)
        this.draft.hashes = readBasicAuth(handler, this.#reading)
        return
      default:
    }
    if (isForwardAuth(handler)) return this.#forwardAuth(handler)
    this.#enter('target', handler)
    this.draft.target = readTarget(handler, { root: this.#root, tried: this.#tried }, this.#reading)
  }

  /** Steps under a condition. */
  when(step: When): void {
    const condition = readCondition(step.sets)
    if (condition.kind === 'other') giveUp(step.location, condition.what)
    if (step.steps.length === 0) giveUp(step.location, 'a route without a handler')
    if (step.isExclusive && condition.kind === 'header_missing')
      giveUp(step.location, 'a route for requests without a header that skips later routes')
    switch (condition.kind) {
      case 'bots':
      case 'networks':
        return this.#networks(condition, step)
      case 'file':
        if (this.#tried !== undefined || !isRewriteToFound(step.only))
          giveUp(condition.file, 'routes that depend on files')
        this.#tried = condition.file
        return
      case 'header_missing':
        return this.#defaultHeader(condition.name, step)
      case 'paths':
        return this.#paths(condition, step)
    }
  }

  finish(): SiteDraft {
    if (this.#tried !== undefined && this.draft.target?.kind !== 'static')
      giveUp(this.#tried, 'files that are tried and not served')
    return this.draft
  }

  /** Moves on to a stage of the site; gives up when a step would run earlier than before and must not. */
  #enter(phase: Phase, location: JsonLocation): void {
    if (!this.#tryEnter(phase)) giveUp(location, `something that a site does earlier (${phase.replace('_', ' ')})`)
  }

  /** Moves on to a stage of the site; returns false when a later stage was reached already. */
  #tryEnter(phase: Phase): boolean {
    if (this.#reached > phases.indexOf(mayMove[phase] ?? phase)) return false
    this.#reached = Math.max(this.#reached, phases.indexOf(phase))
    return true
  }

  get #isAfterPaths(): boolean {
    return this.#reached >= phases.indexOf('paths')
  }

  #headers(handler: JsonLocation): void {
    const change = readHeaderHandler(handler)
    if (change.request.length > 0) this.#addRequestHeaders(change.request, handler)
    if (change.response.length > 0 && !this.#isAfterPaths) this.#enter('response_headers', handler)
    const { rest, response } = this.draft
    ;(this.#isAfterPaths ? rest.response : response).add(change)
  }

  #addRequestHeaders(changes: readonly HeaderChange[], location: JsonLocation): void {
    if (!this.#isAfterPaths) this.#enter('request_headers', location)
    ;(this.#isAfterPaths ? this.draft.rest.request : this.draft.requestHeaders).push(...changes)
  }

  #encode(handler: JsonLocation): void {
    this.#enter('compression', handler)
    const members = new Members(handler, 'handler', 'prefer', 'minimum_length', 'match')
    const encodings = members.take('encodings')
    members.refuseOthers('a way to compress that sites do not have')
    const names = Object.keys((encodings?.value as object | undefined) ?? {})
    for (const name of names)
      if (name !== 'gzip' && name !== 'zstd') this.#reading.lost(at(encodings, name), `compression with ${name}`)
    const [gzip, zstd] = [names.includes('gzip'), names.includes('zstd')]
    this.draft.compression = gzip && zstd ? 'both' : gzip ? 'gzip' : zstd ? 'zstd' : 'off'
  }

  #body(handler: JsonLocation): void {
    this.#enter('body', handler)
    const members = new Members(handler, 'handler')
    this.draft.maxBody = numberOf(members.take('max_size')) ?? null
    members.refuseOthers('a rule for bodies that sites do not have')
  }

  #forwardAuth(handler: JsonLocation): void {
    if (this.draft.forwardAuth !== null) giveUp(handler, 'a second forward authentication')
    this.#enter('forward_auth', handler)
    const read = readForwardAuth(handler)
    this.draft.forwardAuth = read
    // Header removals that the compiler puts first belong to the forward authentication.
    const copied = new Set(read.copy_headers.flatMap((name) => [name, name.replaceAll('-', '_')]))
    this.draft.requestHeaders = this.draft.requestHeaders.filter(({ op, name }) => op !== 'delete' || !copied.has(name))
  }

  #maintenance(handler: JsonLocation, allow: readonly string[]): void {
    this.#enter('maintenance', handler)
    this.draft.maintenance = readMaintenance(handler, allow)
  }

  #networks(condition: NetworkCondition, { only, location }: When): void {
    if (only === undefined) giveUp(location, 'routes for some networks only')
    if (condition.kind === 'networks' && condition.isInverted && isMaintenance(only))
      return this.#maintenance(only, condition.ranges)
    this.#enter('access', location)
    addAccess(this.draft.access, { condition, answer: only, location }, this.#reading)
  }

  #defaultHeader(name: string, { only, location }: When): void {
    const read = only && at(only, 'handler')?.value === 'headers' ? readHeaderHandler(only) : undefined
    const [change, ...more] = read?.request ?? []
    const isDefault = change?.op === 'set' && change.name.toLowerCase() === name.toLowerCase()
    if (!isDefault || more.length > 0 || (read?.response.length ?? 0) > 0)
      giveUp(location, 'routes that depend on a header')
    this.#addRequestHeaders([{ ...change, op: 'default' }], location)
  }

  #paths(condition: Extract<Condition, { kind: 'paths' }>, step: When): void {
    const headers = step.isExclusive || this.#isAfterPaths ? undefined : readPathHeaders(step.steps)
    if (headers !== undefined) {
      this.#enter('response_headers', step.location)
      for (const { difference } of condition.paths) if (difference) this.#reading.changed(step.location, difference)
      this.draft.pathHeaders.push({ location: step.location, paths: condition.paths, response: headers })
      return
    }
    if (!endsAlways(step.steps)) {
      const names = step.steps.map((inner) =>
        inner.kind === 'always' ? nameOf(at(inner.handler, 'handler')?.value) : 'routes',
      )
      giveUp(
        step.location,
        `what is done for ${condition.patterns.join(', ').slice(0, 200)} only (${names.join(', ')})`,
      )
    }
    readPath(condition, step, {
      draft: this.draft,
      root: this.#root,
      reading: this.#reading,
      enter: (phase) => this.#tryEnter(phase),
    })
  }
}
