import type { Site, SitePatch } from '../sites/site.ts'
import { blankDraft, blankUpstream } from './blank-draft.ts'

/** What the server adds to a site; the rest is what a person decides. */
type Told =
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
export interface Draft extends Omit<NonNull<Site, Answers>, Told | 'basic_auth' | 'paths'> {
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

/** Whether two values are the same as the server would read them. */
export const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

const isHolder = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** There is always a row to type into. */
const withFirst = (rows: Site['upstreams']): Site['upstreams'] =>
  rows.length === 0 ? [blankUpstream] : rows.map((row) => ({ ...row }))

function withoutBlankEnd<T extends { url: string }>(rows: readonly T[]): T[] {
  const last = rows.findLastIndex(({ url }) => url.trim() !== '')
  return rows.slice(0, last + 1).map((row) => Object.assign({}, row, { url: row.url.trim() }))
}
