import type { CheckWanted } from '../check-wanted.ts'
import type { FieldIssue } from './rule-context.ts'
import { SiteCreate, SitePatch, type SiteRecord } from '../schema.ts'
import type { WantedSite } from '../site-change.ts'

/** An edit whose body does not have the shape of a site. */
export interface UnreadableEdit {
  /** The site that is changed; undefined for a new one. */
  readonly id: number | undefined
  /** True if members that are left out stay as they are. */
  readonly isPatch: boolean
  /** As it was sent. */
  readonly body: unknown
  /** Members that cannot be read, by their paths. */
  readonly fields: readonly string[]
}

/** Members that stand for another one in a body. */
const sameAs: Readonly<Record<string, string>> = { domain: 'domains', caddy_directives: 'raw_directives' }
/** Members whose rules depend on another one: nothing is said of them when that one cannot be read. */
const dependent: Readonly<Record<string, readonly string[]>> = {
  kind: ['upstreams', 'redirect', 'static', 'respond', 'raw_directives'],
  tls: ['domains', 'force_https', 'hsts'],
  domains: ['tls'],
}
const placeholders = { site_name: 'hearth-placeholder', domains: ['hearth-placeholder.invalid'] }

/**
 * Checks the members of a body that can be read, so that one answer names everything that is wrong. Members that
 * cannot be read are taken as they are stored, or by their defaults; nothing is said of them.
 */
export async function readableIssues(
  { id, isPatch, body, fields }: UnreadableEdit,
  before: WantedSite | undefined,
  check: CheckWanted,
): Promise<FieldIssue[]> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return []
  // A change of an unknown site has nothing to check.
  if (isPatch && before === undefined) return []
  const bad = new Set(fields.map(memberOf))
  const readable = Object.fromEntries(Object.entries(body).filter(([name]) => !bad.has(memberOf(name))))
  const missing = isPatch ? {} : Object.fromEntries(Object.entries(placeholders).filter(([name]) => bad.has(name)))
  const reading = (isPatch ? SitePatch : SiteCreate).safeParse({ ...missing, ...readable })
  if (!reading.success) return []
  const { basic_auth: users, ...members } = reading.data
  const record = { ...before?.record, ...members, basic_auth: users ?? before?.record.basic_auth ?? [] } as SiteRecord
  const stored = Object.keys(before?.extras.hashes ?? {})
  const known = [
    ...stored,
    ...(users ?? []).flatMap(({ username, password }) => (password === undefined ? [] : username)),
  ]
  const extras = { hashes: Object.fromEntries(known.map((name) => [name, ''])) }
  const hasNewDirectives = typeof reading.data.raw_directives === 'string'
  const { errors } = await check({ record, extras, hasNewDirectives }, id)
  const silent = new Set([...bad, ...[...bad].flatMap((name) => dependent[name] ?? [])])
  return errors.filter(({ field }) => !silent.has(memberOf(field)))
}

function memberOf(path: string): string {
  const [member = ''] = path.split('.')
  return sameAs[member] ?? member
}
