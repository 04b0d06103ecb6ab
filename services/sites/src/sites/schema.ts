import { z } from 'zod'
import { answerMembers, PathRedirect, proxyDefaults, proxyMembers } from './proxy-schema.ts'
import { readDomain, splitDomains } from './domains.ts'
import {
  Access,
  BasicAuthUser,
  BasicAuthCredentials,
  ForwardAuth,
  HeaderChange,
  Hsts,
  Maintenance,
  SiteLog,
  Tls,
} from './guard-schema.ts'
import { SiteReach } from './reach-schema.ts'
import { SiteSignIn } from './sign-in-schema.ts'
import { defaultCheck, SiteCheck } from './check-schema.ts'
import { StatusSlug } from './status-slug.ts'

/** Kind of a site: where its responses come from. */
export const SiteKind = z
  .enum(['proxy', 'redirect', 'static', 'respond', 'raw', 'portal', 'status'])
  .meta({ id: 'SiteKind' })
export type SiteKind = z.infer<typeof SiteKind>

const invisible = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]/u

/** 1 to 255 visible characters; unique among sites, upper and lower case alike. */
const SiteName = z
  .string()
  .transform((name) => name.normalize('NFC').trim())
  .pipe(
    z
      .string()
      .min(1)
      .max(255)
      .refine((name) => !invisible.test(name), 'must not contain control or invisible characters'),
  )

const Domain = z
  .string()
  .max(1024)
  .transform((text, context) => {
    const reading = readDomain(text)
    if ('domain' in reading) return reading.domain
    context.addIssue({ code: 'custom', message: `"${text.slice(0, 80)}" ${reading.problem}` })
    return z.NEVER
  })

/** Schema of different domains, at least one and at most `most`. */
export const domainList = (most: number) =>
  z
    .array(Domain)
    .min(1)
    .max(most)
    .refine((domains) => new Set(domains).size === domains.length, 'must not name a domain twice')

const Domains = domainList(100)

const { redirect, static: staticFiles, respond } = answerMembers

/** A path of the site with a different configuration. */
export const PathRoute = z
  .strictObject({
    match: z.enum(['prefix', 'exact']).default('prefix'),
    path: z.string().min(1).max(1024),
    strip: z.boolean().default(false).meta({ description: 'Takes the path off before the request goes on' }),
    kind: z.enum(['proxy', 'redirect', 'static', 'respond']),
    upstreams: proxyMembers.upstreams.default([]),
    upstream_host: proxyMembers.upstream_host.default('client'),
    lb: proxyMembers.lb.prefault({}),
    health: proxyMembers.health.prefault({}),
    timeouts: proxyMembers.timeouts.prefault({}),
    upstream_tls: proxyMembers.upstream_tls.prefault({}),
    redirect: redirect.default(null),
    static: staticFiles.default(null),
    respond: respond.default(null),
    request_headers: z.array(HeaderChange).max(64).default([]),
    response_headers: z.array(HeaderChange).max(64).default([]),
  })
  .meta({ id: 'PathRoute' })
export type PathRoute = z.infer<typeof PathRoute>

/** Members of a site that a user sets, without defaults; `basic_auth` differs between requests and responses. */
const members = {
  site_name: SiteName,
  domains: Domains,
  kind: SiteKind,
  enabled: z.boolean(),
  ...proxyMembers,
  ...answerMembers,
  status_page: StatusSlug.nullable().meta({
    description: 'Last part of the address of the status page that the site shows, kind status only',
  }),
  tls: Tls,
  force_https: z.boolean().meta({ description: 'Sends visitors of plain HTTP to HTTPS (308)' }),
  hsts: Hsts.nullable(),
  request_headers: z.array(HeaderChange).max(64),
  response_headers: z.array(HeaderChange).max(64),
  compression: z.enum(['off', 'gzip', 'zstd', 'both']),
  forward_auth: ForwardAuth.nullable(),
  sign_in: SiteSignIn.nullable().meta({ description: 'Visitors sign in at the portal first; null for no sign-in' }),
  access: Access,
  reach: SiteReach,
  check: SiteCheck,
  paths: z.array(PathRoute).max(50),
  redirects: z.array(PathRedirect).max(100),
  max_body: z
    .int()
    .min(1)
    .max(1024 ** 4)
    .nullable()
    .meta({ description: 'Bytes a request may have; null for no limit' }),
  error_page: z
    .string()
    .max(65_536)
    .nullable()
    .meta({ description: 'HTML instead of an empty answer when upstreams fail' }),
  maintenance_mode: z.boolean(),
  maintenance: Maintenance,
  log: SiteLog,
  raw_directives: z.string().max(262_144).nullable().meta({ description: 'Directives of a Caddyfile, kind raw only' }),
}

/** Defaults of a site: the only place that states them. */
export const siteDefaults = {
  kind: 'proxy' as SiteKind,
  enabled: true,
  ...proxyDefaults,
  redirect: null,
  static: null,
  respond: null,
  status_page: null,
  tls: Tls.parse({}),
  force_https: true,
  hsts: null,
  request_headers: [],
  response_headers: [],
  compression: 'both' as const,
  basic_auth: [],
  forward_auth: null,
  sign_in: null,
  access: Access.parse({}),
  reach: 'everyone' as SiteReach,
  check: defaultCheck,
  paths: [],
  redirects: [],
  max_body: null,
  error_page: null,
  maintenance_mode: false,
  maintenance: Maintenance.parse({}),
  log: SiteLog.parse({}),
  raw_directives: null,
}

const familiar = {
  domain: z.string().max(4096).optional().meta({ description: 'Several domains in one text, instead of `domains`' }),
  caddy_directives: members.raw_directives.optional().meta({ description: 'The same as `raw_directives`' }),
}

/** A change of a site. Every member is optional; one that is given replaces the whole member. */
const partial = z
  .strictObject({ ...members, basic_auth: z.array(BasicAuthCredentials).max(64) })
  .partial()
  .extend(familiar)
  .meta({ id: 'SiteChange' })
type Partial = z.output<typeof partial>

/** Moves deprecated names into the members that replaced them. */
function settle(given: Partial, context: z.RefinementCtx): Omit<Partial, keyof typeof familiar> {
  const { domain, caddy_directives: directives, ...rest } = given
  const report = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message })
  if (directives !== undefined && rest.raw_directives !== undefined)
    report(['caddy_directives'], 'must not stand beside raw_directives')
  const named = directives === undefined ? rest : { ...rest, raw_directives: directives }
  if (domain === undefined) return named
  if (rest.domains !== undefined) report(['domain'], 'must not stand beside domains')
  const reading = Domains.safeParse(splitDomains(domain))
  if (!reading.success) for (const { message } of reading.error.issues) report(['domain'], message)
  return { ...named, domains: reading.data ?? [] }
}

/** Body of PATCH: only the given members change. */
export const SitePatch = partial.transform((given, context) => settle(given, context))
export type SitePatch = z.output<typeof SitePatch>

/** Body of POST and PUT: an absent member takes its default. */
export const SiteCreate = partial.transform((given, context) => {
  const { site_name: name, domains, ...rest } = settle(given, context)
  if (name === undefined) context.addIssue({ code: 'custom', path: ['site_name'], message: 'is required' })
  if (domains === undefined) context.addIssue({ code: 'custom', path: ['domains'], message: 'is required' })
  if (name === undefined || domains === undefined) return z.NEVER
  const kind = rest.kind ?? (typeof rest.raw_directives === 'string' ? 'raw' : siteDefaults.kind)
  return withoutUndefined({ ...siteDefaults, ...rest, kind, site_name: name, domains })
})
export type SiteCreate = z.output<typeof SiteCreate>

type Defined<T> = { [Key in keyof T]-?: Exclude<T[Key], undefined> }

/** The members are all there by now; the type of a partial does not know. */
function withoutUndefined<T extends object>(site: T): Defined<T> {
  return site as Defined<T>
}

/** A site as stored and compiled: all members, users of basic authentication without their passwords. */
export const SiteRecord = z.strictObject({ ...members, basic_auth: z.array(BasicAuthUser) })
export type SiteRecord = z.output<typeof SiteRecord>

export const ApplyState = z.enum(['applied', 'pending', 'failed', 'disabled']).meta({ id: 'ApplyState' })

/** A site as returned by the API. */
export const Site = z
  .object({
    id: z.int(),
    ...SiteRecord.shape,
    // What is stored has been read already: an answer only repeats it.
    site_name: z.string(),
    domains: z.array(z.string()),
    domain: z.string().meta({ description: 'All domains in one text' }),
    upstream_url: z.string().nullable().meta({ description: 'The first upstream' }),
    caddy_directives: z.string().nullable().meta({ description: 'The same as `raw_directives`' }),
    revision: z.int().meta({ description: 'Counts changes; also the ETag' }),
    apply_state: ApplyState,
    last_error: z.string().nullable().meta({ description: "Caddy's own words when it refused the site" }),
    applied_revisions: z.record(z.string(), z.int()).meta({ description: 'Revision each node runs, by its name' }),
    created_at: z.iso.datetime({ offset: true }),
    updated_at: z.iso.datetime({ offset: true }),
  })
  .meta({ id: 'Site' })
export type Site = z.infer<typeof Site>
