import type { PathRoute, SiteRecord } from '../../sites/schema.ts'
import { type Condition, type PathCondition, readCondition } from './conditions.ts'
import { wordOf } from './caddy-values.ts'
import type { SiteReading } from './site-reading.ts'
import { at, giveUp, type JsonLocation, Members } from './json-location.ts'
import { isRewriteToFound, readAnswer, readRoot } from './read-answers.ts'
import { type HeaderReading, readHeaderHandler } from './read-headers.ts'
import { nameOf, readTarget, type Target } from './read-target.ts'
import { locationOf, type Step, type When } from './host-routes.ts'
import { type Phase, ResponseHeaders, type SiteDraft } from './site-draft.ts'
import type { HeaderChange } from '../../sites/guard-schema.ts'

type Paths = Extract<Condition, { kind: 'paths' }>

/** Context of reading a path. */
export interface PathContext {
  readonly draft: SiteDraft
  /** Directory of the whole site. */
  readonly root: JsonLocation | undefined
  readonly reading: SiteReading
  /** Goes on to a part of the site; false when it is too late for it. */
  readonly enter: (phase: Phase) => boolean
}

/** Reads steps for some paths that answer every request: redirects of the site where they can be, paths of it elsewhere. */
export function readPath(condition: Paths, step: When, context: PathContext): void {
  const { draft, reading } = context
  const redirect = readRedirect(condition, step, reading)
  // A redirect of one path cannot append it.
  const appendsExact = redirect?.redirect.keep_path && condition.paths.some(({ match }) => match === 'exact')
  if (redirect !== undefined && !appendsExact && context.enter('redirects')) {
    for (const path of condition.paths) addRedirect(path, redirect, { step, context })
    return
  }
  if (!context.enter('paths')) giveUp(step.location, 'a path after the answer for all paths')
  for (const path of condition.paths) {
    const covering = draft.paths.find((earlier) => covers(earlier, path, draft.loosePaths))
    if (covering !== undefined) {
      reading.lost(step.location, `never reached: ${covering.path} comes first`)
      continue
    }
    if (path.difference !== undefined) {
      draft.loosePaths.add(path.path)
      reading.changed(step.location, path.difference)
    }
    const route = readOne(path, step, context)
    // A fixed answer for a prefix must cover at least the requests it covered before.
    if (path.isNarrower && route.kind === 'respond')
      giveUp(step.location, `an answer for all that begins with ${path.path}`)
    draft.paths.push(route)
  }
}

interface RedirectSteps {
  readonly strips: string | undefined
  readonly redirect: NonNullable<SiteRecord['redirect']>
}

/** A redirect, with the prefix that is taken off the path before; undefined when the steps are something else. */
function readRedirect({ paths }: Paths, { steps }: When, reading: SiteReading): RedirectSteps | undefined {
  const handlers = steps.map((step) => (step.kind === 'always' ? step.handler : undefined))
  const last = handlers.at(-1)
  const first = handlers.length === 2 ? handlers[0] : undefined
  if (last === undefined || handlers.length > 2 || at(last, 'handler')?.value !== 'static_response') return undefined
  const strips = first && at(first, 'handler')?.value === 'rewrite' ? readStrip(first) : undefined
  if (handlers.length === 2 && (strips === undefined || paths.length !== 1 || strips !== paths[0]?.path))
    return undefined
  if (at(last, 'headers') === undefined) return undefined
  const answer = readAnswer(last, reading)
  return answer.kind === 'redirect' ? { strips, redirect: answer.redirect } : undefined
}

function addRedirect(
  path: PathCondition,
  { strips, redirect }: RedirectSteps,
  { step, context }: { step: When; context: PathContext },
): void {
  const { draft, reading } = context
  // What is redirected must not reach what answers the rest.
  if (path.isNarrower) giveUp(step.location, `a redirect of all that begins with ${path.path}`)
  const from = path.match === 'exact' ? path.path : path.path === '/' ? '/*' : `${path.path}/*`
  // A redirect of ours for all below a path takes the path itself as well, and is tried first.
  const isApart = draft.redirects.some(
    (earlier) =>
      `${earlier.from}/*` === from ||
      (earlier.from === `${from}/*` && draft.loosePaths.has(`redirect ${earlier.from}`)),
  )
  if (isApart) giveUp(step.location, 'redirects of a path and of all below it that differ')
  const isTaken = draft.redirects.some(
    (earlier) =>
      from === earlier.from || (earlier.from.endsWith('/*') && `${from}/`.startsWith(earlier.from.slice(0, -1))),
  )
  if (isTaken) return reading.lost(step.location, 'never reached: another redirect comes first')
  if (path.difference !== undefined) {
    draft.loosePaths.add(`redirect ${from}`)
    reading.changed(step.location, path.difference)
  }
  const { keep_path: keeps, code } = redirect
  // A redirect of a site takes its own path off before it appends what is left.
  const taken = keeps && strips === undefined && from !== '/*' ? path.path : ''
  if (strips !== undefined && redirect.to.includes('{http.request.uri'))
    giveUp(step.location, 'a redirect to a part of the path')
  draft.redirects.push({ from, to: `${redirect.to}${taken}`, code, keep_path: keeps })
}

/** Returns true when the earlier path takes all requests for the later one. */
function covers(earlier: PathRoute, later: PathCondition, loose: ReadonlySet<string>): boolean {
  const isSame = earlier.path === later.path
  if (earlier.match === 'exact') return later.match === 'exact' && isSame
  if (isSame && later.match === 'exact' && loose.has(earlier.path)) return false
  const prefix = earlier.path.replace(/\/+$/, '')
  return later.path === prefix || later.path.startsWith(`${prefix}/`)
}

function readOne(path: PathCondition, step: When, context: PathContext): PathRoute {
  const inner = new PathReader(path, context)
  for (const each of step.steps) {
    if (inner.target !== undefined) context.reading.lost(locationOf(each), 'never reached: the path is answered before')
    else inner.step(each)
  }
  const { target } = inner
  if (target === undefined) return giveUp(step.location, 'a path without an answer')
  const { requestHeaders, responseHeaders, ...members } = target
  return {
    match: path.match,
    path: path.path,
    strip: inner.strips,
    ...members,
    request_headers: [...inner.request, ...requestHeaders],
    response_headers: [...inner.response.inEffect(), ...responseHeaders],
  }
}

/** Reads what happens on one path. */
class PathReader {
  readonly request: HeaderChange[] = []
  readonly response = new ResponseHeaders()
  strips = false
  target: Target | undefined
  readonly #path: PathCondition
  readonly #context: PathContext
  #root: JsonLocation | undefined
  #tried: JsonLocation | undefined

  constructor(path: PathCondition, context: PathContext) {
    this.#path = path
    this.#context = context
    this.#root = context.root
  }

  step(step: Step): void {
    if (step.kind === 'when') return this.#when(step)
    const { handler } = step
    switch (at(handler, 'handler')?.value) {
      case 'headers':
        return this.#headers(readHeaderHandler(handler))
      case 'rewrite':
        return this.#rewrite(handler)
      case 'vars':
        this.#root = readRoot(handler) ?? this.#root
        return
      default:
        this.target = readTarget(handler, { root: this.#root, tried: this.#tried }, this.#context.reading)
    }
  }

  #headers(change: HeaderReading): void {
    this.request.push(...change.request)
    this.response.add(change)
  }

  #rewrite(handler: JsonLocation): void {
    const prefix = readStrip(handler)
    const isOurs = prefix === this.#path.path && this.#path.match === 'prefix'
    if (!isOurs) giveUp(handler, 'a rewrite that sites do not have')
    this.strips = true
  }

  #when(step: When): void {
    const condition = readCondition(step.sets)
    const { only } = step
    if (condition.kind === 'file' && isRewriteToFound(only) && this.#tried === undefined) {
      this.#tried = condition.file
      return
    }
    const read =
      condition.kind === 'header_missing' && only && at(only, 'handler')?.value === 'headers'
        ? readHeaderHandler(only)
        : undefined
    const [change, ...more] = read?.request ?? []
    const isDefault =
      condition.kind === 'header_missing' && change?.op === 'set' && change.name === condition.name && more.length === 0
    if (!isDefault)
      giveUp(step.location, `${condition.kind === 'other' ? condition.what : 'a condition'} inside a path`)
    this.request.push({ ...change, op: 'default' })
  }
}

/** The prefix a handler `rewrite` takes off the path, when it does nothing else. */
function readStrip(handler: JsonLocation): string {
  const members = new Members(handler, 'handler')
  const prefix = wordOf(members.take('strip_path_prefix'))
  for (const member of members.left())
    giveUp(member, `a rewrite that sites do not have (${nameOf(member.path.split('/').at(-1))})`)
  return prefix ?? giveUp(handler, 'a rewrite that sites do not have')
}
