import { isDeepStrictEqual } from 'node:util'
import { phraseOfZodIssue } from '@hearth/http'
import { parse, stringify } from 'yaml'
import { z } from 'zod'
import { isObject } from '../import/config/json-location.ts'
import { Upstream } from '../sites/proxy-schema.ts'
import type { OpenIdClientValues } from '../openid-provider/schema.ts'
import { applicationEntries, readApplications } from './application-file.ts'
import type { GroupEntry } from './group-plan.ts'
import { GroupName, maxGroups } from '../sites/sign-in-schema.ts'
import { PathRoute, SiteCreate, siteDefaults, type SiteRecord } from '../sites/schema.ts'

/** Names of uploaded certificates and authorities by their numbers; a name that two have stands for neither. */
export class UploadNames {
  readonly #names = new Map<number, string>()
  readonly #ids = new Map<string, number | undefined>()

  constructor(uploads: readonly { readonly id: number; readonly name: string }[]) {
    for (const { id, name } of uploads) {
      this.#names.set(id, name)
      this.#ids.set(name, this.#ids.has(name) ? undefined : id)
    }
  }

  /** The name that a file has for a number; the number itself when there is no name of its own. */
  nameOf(id: number): string | number {
    const name = this.#names.get(id)
    return name !== undefined && this.#ids.get(name) === id ? name : id
  }

  idOf(name: string): number | undefined {
    return this.#ids.get(name)
  }
}

/** Members that hold the number of an upload, each with the member that has its name in a file. */
const references: Readonly<Record<string, string>> = {
  certificate_id: 'certificate',
  client_auth_ca_id: 'client_auth_ca',
  ca_id: 'ca',
}
const named = Object.fromEntries(Object.entries(references).map(([id, name]) => [name, id]))

/** Most users of a group. */
const maxMembers = 200

/** Largest file, characters. */
export const maxSiteFile = 16 * 1024 * 1024

/** A file that is refused; each line of the message is one reason. */
export class SiteFileRefused extends Error {
  override readonly name = 'SiteFileRefused'
}

/** What a file says. */
export interface SiteFile {
  readonly sites: readonly SiteCreate[]
  /** Undefined when the file says nothing of groups. */
  readonly groups: readonly GroupEntry[] | undefined
  /** Undefined when the file says nothing of applications. */
  readonly applications: readonly OpenIdClientValues[] | undefined
}

/** What stands in a file beside the sites. */
export interface OtherEntries {
  readonly groups?: readonly GroupEntry[]
  readonly applications?: readonly OpenIdClientValues[]
}

/**
 * Writes sites, groups of users and applications as YAML, in the order of their names, without what is as it is by default. The same
 * ones give the same text.
 */
export function writeSiteFile(
  records: readonly SiteRecord[],
  uploads: UploadNames,
  { groups = [], applications = [] }: OtherEntries = {},
): string {
  const sites = records
    .toSorted((a, b) => (a.site_name < b.site_name ? -1 : 1))
    .map((record) => withNames(withoutDefaults(record), uploads))
  const members = groups
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, users }) => [name, [...users].sort()])
  const entries = applicationEntries(applications)
  const document = {
    ...(groups.length > 0 && { groups: Object.fromEntries(members) as object }),
    ...(entries.length > 0 && { applications: entries }),
    sites,
  }
  return stringify(document, { lineWidth: 0, aliasDuplicateObjects: false })
}

/** Reads the sites, groups and applications of a file. Throws `SiteFileRefused` with every reason. */
export function readSiteFile(text: string, uploads: UploadNames): SiteFile {
  const document = documentOf(text)
  const reasons: string[] = []
  const groups = readGroups(document['groups'], reasons)
  for (const name of twice((groups ?? []).map((group) => group.name))) reasons.push(`group ${name}: stands twice`)
  const applications = readApplications(document['applications'], reasons)
  const entries = document['sites'] as unknown[]
  const sites = entries.flatMap((entry, index) => {
    const label = isObject(entry) && typeof entry['site_name'] === 'string' ? entry['site_name'] : `number ${index + 1}`
    const unknown: string[] = []
    const { data, error } = SiteCreate.safeParse(withIds(entry, uploads, unknown))
    for (const name of unknown) reasons.push(`${label}: there is no one upload of the name ${name}`)
    for (const issue of error?.issues ?? [])
      reasons.push(`${label}: ${issue.path.join('.')}: ${phraseOfZodIssue(issue)}`)
    return data === undefined ? [] : [data]
  })
  for (const name of twice(sites.map(({ site_name }) => site_name.toLowerCase()))) reasons.push(`${name}: stands twice`)
  for (const domain of twice(sites.flatMap(({ domains }) => domains))) reasons.push(`${domain}: is of two sites`)
  if (sites.filter(({ kind, enabled }) => kind === 'portal' && enabled).length > 1)
    reasons.push('two sites of kind portal are enabled')
  if (reasons.length > 0) throw new SiteFileRefused(reasons.join('\n'))
  return { sites, groups, applications }
}

const GroupMembers = z.array(z.string().min(1).max(200)).max(maxMembers)

function readGroups(value: unknown, reasons: string[]): GroupEntry[] | undefined {
  if (value === undefined) return undefined
  if (!isObject(value)) {
    reasons.push('groups: must be names of groups, each with a list of users')
    return []
  }
  if (Object.keys(value).length > maxGroups) reasons.push(`groups: at most ${maxGroups} are possible`)
  return Object.entries(value).flatMap(([key, given]) => {
    const name = GroupName.safeParse(key)
    const users = GroupMembers.safeParse(given ?? [])
    for (const issue of name.error?.issues ?? []) reasons.push(`group ${key}: ${phraseOfZodIssue(issue)}`)
    for (const issue of users.error?.issues ?? [])
      reasons.push(`group ${key}: ${[...issue.path, phraseOfZodIssue(issue)].join(': ')}`)
    return name.data === undefined || users.data === undefined
      ? []
      : [{ name: name.data, users: [...new Set(users.data)] }]
  })
}

/** The texts that stand more than once. */
function twice(texts: readonly string[]): Set<string> {
  const seen = new Set<string>()
  return new Set(texts.filter((text) => seen.size === seen.add(text).size))
}

/** Members of a file. */
const fileMembers: ReadonlySet<string> = new Set(['sites', 'groups', 'applications'])

function documentOf(text: string): Record<string, unknown> {
  let document: unknown
  try {
    document = parse(text, { maxAliasCount: 0, logLevel: 'error' })
  } catch (error) {
    throw new SiteFileRefused(`the file is no YAML: ${(error as Error).message.split('\n')[0]}`)
  }
  if (!isObject(document) || !Array.isArray(document['sites']))
    throw new SiteFileRefused('the file has no list `sites`')
  const other = Object.keys(document).find((key) => !fileMembers.has(key))
  if (other !== undefined) throw new SiteFileRefused(`the file has ${other}, which is not known`)
  return document
}

function withoutDefaults({ site_name, domains, ...members }: SiteRecord): Record<string, unknown> {
  const { upstreams, paths, ...rest } = members
  return {
    site_name,
    domains,
    kind: members.kind,
    ...differing(rest, siteDefaults),
    ...(upstreams.length > 0 && { upstreams: upstreams.map(upstreamEntry) }),
    ...(paths.length > 0 && { paths: paths.map(pathEntry) }),
  }
}

function upstreamEntry(upstream: SiteRecord['upstreams'][number]): Record<string, unknown> {
  return { url: upstream.url, ...differing(upstream, Upstream.parse({ url: upstream.url })) }
}

function pathEntry({ upstreams, ...path }: PathRoute): Record<string, unknown> {
  const { path: text, kind } = path
  const entry = { path: text, kind, ...differing(path, PathRoute.parse({ path: text, kind })) }
  return upstreams.length === 0 ? entry : { ...entry, upstreams: upstreams.map(upstreamEntry) }
}

/** The members that are not as they are by default, and of objects the members of which the same holds. */
function differing(given: object, defaults: object): Record<string, unknown> {
  const usual = new Map(Object.entries(defaults))
  return Object.fromEntries(
    Object.entries(given).flatMap(([key, value]) => {
      const other: unknown = usual.get(key)
      if (isDeepStrictEqual(value, other)) return []
      return [[key, isObject(value) && isObject(other) ? differing(value, other) : value]]
    }),
  )
}

function withNames(value: unknown, uploads: UploadNames): unknown {
  return changed(value, (key, member) => {
    const name = references[key]
    if (name === undefined || typeof member !== 'number') return undefined
    const shown = uploads.nameOf(member)
    return typeof shown === 'string' ? [name, shown] : undefined
  })
}

function withIds(value: unknown, uploads: UploadNames, unknown: string[]): unknown {
  return changed(value, (key, member) => {
    const id = Object.hasOwn(named, key) ? named[key] : undefined
    if (id === undefined || typeof member !== 'string') return undefined
    const found = uploads.idOf(member)
    if (found === undefined) unknown.push(member)
    return [id, found ?? null]
  })
}

/** A copy in which members that `change` says otherwise about are others. */
function changed(value: unknown, change: (key: string, member: unknown) => [string, unknown] | undefined): unknown {
  if (Array.isArray(value)) return value.map((one) => changed(one, change))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => change(key, member) ?? [key, changed(member, change)]),
  )
}
