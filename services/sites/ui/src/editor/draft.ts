import type { Site, SitePatch } from '../sites/site.ts'
import { blankDraft, blankUpstream } from './blank-draft.ts'
import type { components } from '../api.gen.ts'

/** Members that the server adds to a site; people decide the rest. */
type ServerMembers =
  | 'id'
  | 'domain'
  | 'upstream_url'
  | 'caddy_directives'
  | 'revision'
  | 'apply_state'
  | 'last_error'
  | 'applied_revisions'
  | 'created_at'
  | 'updated_at'

type Answers = 'redirect' | 'static' | 'respond'

type NonNull<T, Key extends keyof T> = Omit<T, Key> & { [Member in Key]: NonNullable<T[Member]> }

/**
 * A site while it is edited: every member a person decides, those of the other kinds included, so that a change of the kind and
 * back loses nothing. A password is empty unless a new one is given.
 */
export interface Draft extends Omit<NonNull<Site, Answers>, ServerMembers | 'basic_auth' | 'paths'> {
  basic_auth: { username: string; password: string }[]
  paths: NonNull<Site['paths'][number], Answers>[]
}

/** A site as the editor takes it up. */
export function draftOf(site: Site): Draft {
  const members = Object.fromEntries(
    Object.keys(blankDraft).map((name) => [name, site[name as keyof Site] ?? blankDraft[name as keyof Draft]]),
  ) as unknown as Draft
  return {
    ...structuredClone(members),
    upstreams: withFirst(site.upstreams),
    paths: site.paths.map((path) => ({
      ...structuredClone(path),
      upstreams: withFirst(path.upstreams),
      redirect: path.redirect ?? blankDraft.redirect,
      static: path.static ?? blankDraft.static,
      respond: path.respond ?? blankDraft.respond,
    })),
    // Null says something in these.
    max_body: site.max_body,
    error_page: site.error_page,
    hsts: structuredClone(site.hsts),
    forward_auth: structuredClone(site.forward_auth),
    sign_in: structuredClone(site.sign_in),
    raw_directives: site.raw_directives,
    basic_auth: site.basic_auth.map(({ username }) => ({ username, password: '' })),
  }
}

/** Everything of a draft as the server takes it. */
export function wireOf(draft: Draft): SitePatch {
  const { kind } = draft
  const wire = {
    ...draft,
    upstreams: withoutBlankEnd(draft.upstreams),
    redirect: kind === 'redirect' ? draft.redirect : null,
    static: kind === 'static' ? draft.static : null,
    respond: kind === 'respond' ? draft.respond : null,
    status_page: kind === 'status' ? draft.status_page : null,
    raw_directives: kind === 'raw' ? (draft.raw_directives ?? '') : null,
    basic_auth: draft.basic_auth.map(({ username, password }) =>
      password === '' ? { username } : { username, password },
    ),
    paths: draft.paths.map((path) => ({
      ...path,
      upstreams: path.kind === 'proxy' ? withoutBlankEnd(path.upstreams) : [],
      redirect: path.kind === 'redirect' ? path.redirect : null,
      static: path.kind === 'static' ? path.static : null,
      respond: path.kind === 'respond' ? path.respond : null,
    })),
  }
  return { ...wire, upstreams: kind === 'proxy' ? wire.upstreams : [] }
}

/** Only the members that differ, as the server takes them. */
export function changesOf(base: Draft, draft: Draft): SitePatch {
  const [before, after] = [wireOf(base), wireOf(draft)]
  const changed = Object.entries(after).filter(([name, value]) => !isSame(value, before[name as keyof SitePatch]))
  return Object.fromEntries(changed)
}

/** A draft of what is stored now, with the changes that were made to an older one. */
export function carriedOver(base: Draft, draft: Draft, stored: Draft): Draft {
  const mine = Object.keys(changesOf(base, draft))
  return { ...stored, ...Object.fromEntries(mine.map((name) => [name, draft[name as keyof Draft]])) }
}

/** The value at a path such as `upstreams.0.url`; undefined where there is none. */
export function valueAt(draft: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (isHolder(value) ? value[key] : undefined), draft)
}

/** A copy with another value at a path. Throws when nothing can be there. */
export function withValue<T>(holder: T, path: string, value: unknown): T {
  const [key = '', ...rest] = path.split('.')
  if (!isHolder(holder)) throw new Error(`nothing can be at ${path}`)
  const next = rest.length === 0 ? value : withValue(holder[key], rest.join('.'), value)
  if (Array.isArray(holder)) return holder.with(Number(key), next) as T
  return { ...holder, [key]: next }
}

/** Returns true when the server would read two values as the same. */
export const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

const isHolder = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** There is always a row to type into. */
const withFirst = (rows: Site['upstreams']): Site['upstreams'] =>
  rows.length === 0 ? [blankUpstream] : rows.map((row) => ({ ...row }))

function withoutBlankEnd<T extends { url: string }>(rows: readonly T[]): T[] {
  const last = rows.findLastIndex(({ url }) => url.trim() !== '')
  return rows.slice(0, last + 1).map((row) => Object.assign({}, row, { url: row.url.trim() }))
}

/** Addresses that are checked in one request, at most. */
const maxUpstreams = 64

/** The addresses that a draft sends requests to, each once. */
export function upstreamsOf({ kind, upstreams, paths }: Pick<Draft, 'kind' | 'upstreams' | 'paths'>): string[] {
  const proxies = [...(kind === 'proxy' ? [{ upstreams }] : []), ...paths.filter((path) => path.kind === 'proxy')]
  const urls = proxies.flatMap((proxy) => proxy.upstreams.map(({ url }) => url.trim()))
  return [...new Set(urls)].filter((url) => /^(https?|h2c):\/\/[^/]|^unix\/\//i.test(url)).slice(0, maxUpstreams)
}

type FieldChange = components['schemas']['FieldChange']

/** Returns the members of a new site that differ from the defaults, without passwords. */
export function typedMembers(changes: SitePatch): FieldChange[] {
  const { site_name: _, basic_auth: users, ...rest } = changes
  const named = users === undefined ? [] : [{ field: 'basic_auth', after: users.map(({ username }) => username) }]
  const blank: Readonly<Record<string, unknown>> = { ...wireOf(blankDraft) }
  return [...Object.entries(rest).flatMap(([name, value]) => differing(name, blank[name], value)), ...named]
}

function differing(field: string, before: unknown, after: unknown): FieldChange[] {
  if (isSame(before, after)) return []
  if (!isPlain(before) || !isPlain(after)) return [{ field, after }]
  return Object.entries(after).flatMap(([name, value]) => differing(`${field}.${name}`, before[name], value))
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
