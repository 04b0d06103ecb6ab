import type { HeaderChange } from '../sites/guard-schema.ts'
import type { SiteRecord } from '../sites/schema.ts'
import { diffJson } from './config-diff.ts'
import type { CompiledSite } from './desired-state.ts'
import { hidden, isSecretHeader, redactText } from './redact.ts'

/** A member of a site that changed; `field` as in findings of the rules, `upstreams.0.url`. Secrets read as hidden. */
export interface FieldChange {
  readonly field: string
  readonly before?: unknown
  readonly after?: unknown
}

/** Change of a site. */
export interface SiteChange {
  readonly site_id: number
  readonly site_name: string
  readonly change: 'added' | 'removed' | 'changed'
  /** Empty for sites that were added or removed. */
  readonly fields: readonly FieldChange[]
}

/** Parts of a site that changes are reported of. */
export type ComparedSite = Pick<CompiledSite, 'id' | 'record' | 'passwordHashes'>

/** Compares two sets of sites; returns the changes by site, in the order of their ids. */
export function diffSites(before: readonly ComparedSite[], after: readonly ComparedSite[]): SiteChange[] {
  const old = new Map(before.map((site) => [site.id, site]))
  const now = new Map(after.map((site) => [site.id, site]))
  const ids = [...new Set([...old.keys(), ...now.keys()])].sort((one, other) => one - other)
  return ids.flatMap((id) => changeOf(old.get(id), now.get(id)))
}

function changeOf(before: ComparedSite | undefined, after: ComparedSite | undefined): SiteChange[] {
  const site = after ?? before
  if (!site || before === after) return []
  const head = { site_id: site.id, site_name: site.record.site_name }
  if (!before) return [{ ...head, change: 'added', fields: [] }]
  if (!after) return [{ ...head, change: 'removed', fields: [] }]
  const fields = diffFields(before, after)
  return fields.length === 0 ? [] : [{ ...head, change: 'changed', fields }]
}

/** Returns the changed members of one site. A new password is reported, never shown. */
export function diffFields(before: ComparedSite, after: ComparedSite): FieldChange[] {
  const shown = diffJson(before.record, after.record).map((change) => {
    const field = change.path.replaceAll('/', '.')
    const old = 'before' in change ? { before: show(field, change.before, before.record) } : {}
    const now = 'after' in change ? { after: show(field, change.after, after.record) } : {}
    return Object.assign({ field }, old, now)
  })
  const passwords = after.record.basic_auth.flatMap(({ username }) => {
    const [old, now] = [before, after].map(({ passwordHashes = {} }) =>
      Object.hasOwn(passwordHashes, username) ? passwordHashes[username] : undefined,
    )
    return old === now || old === undefined
      ? []
      : [{ field: `basic_auth.${username}.password`, before: hidden, after: hidden }]
  })
  return [...shown, ...passwords]
}

/** A value as it may be seen. */
function show(field: string, value: unknown, record: SiteRecord): unknown {
  const [, list, at, member] =
    /^(?:paths\.\d+\.)?(request_headers|response_headers)(?:\.(\d+)(?:\.(\w+))?)?$/.exec(field) ?? []
  if (list !== undefined && member === 'value') {
    const changes = headersAt(field, record)
    return isSecretHeader(changes[Number(at)]?.name ?? '') ? hidden : value
  }
  return hideIn(value)
}

function headersAt(field: string, record: SiteRecord): readonly HeaderChange[] {
  const [, path, list] = /^(?:paths\.(\d+)\.)?(request_headers|response_headers)/.exec(field) ?? []
  const owner = path === undefined ? record : record.paths[Number(path)]
  return owner?.[list === 'request_headers' ? 'request_headers' : 'response_headers'] ?? []
}

function hideIn(value: unknown): unknown {
  if (typeof value === 'string') return redactText(value)
  if (Array.isArray(value)) return (value as unknown[]).map(hideIn)
  if (value === null || typeof value !== 'object') return value
  const { name } = value as { name?: unknown }
  const isSecret = typeof name === 'string' && isSecretHeader(name) && 'op' in value
  return Object.fromEntries(
    Object.entries(value).map(([member, inner]) => [member, isSecret && member === 'value' ? hidden : hideIn(inner)]),
  )
}
