import { whyNotPublic } from '../../sites/domains.ts'
import type { HeaderChange } from '../../sites/guard-schema.ts'
import type { ImportedSite, ImportReading, SiteInput } from '../config/read-config.ts'
import { isObject } from '../config/json-location.ts'
import { ImportReport } from '../config/site-reading.ts'
import { type FilterReading, readFilter } from './read-filter.ts'
import { type ProxyInput, readOrigins } from './read-origins.ts'
import { readSignIn } from './read-sign-in.ts'
import { type Definition, readZoraxyFiles, type ZoraxyFiles } from './zoraxy-files.ts'

/** Sites, and paths of one, that are read at most. */
const [maxSites, maxPaths] = [5000, 50]

/** Notes a difference of the site that is read. */
type Note = (outcome: 'changed' | 'lost', what: string) => void

/**
 * Reads rules of Zoraxy for hosts, the files of its folder `conf/proxy` one after the other, with access filters where those of
 * `conf/access` are there too. What a site cannot do is in the report; a site that would stand more open than before is switched
 * off. Throws `ZoraxyUnreadable`.
 */
export function readZoraxy(text: string): ImportReading {
  const files = readZoraxyFiles(text)
  const report = new ImportReport()
  const sites = files.rules.slice(0, maxSites).flatMap((rule) => readRule(rule, files, report))
  if (files.rules.length > maxSites)
    report.leftOut(
      { path: '/' },
      `${files.rules.length - maxSites} rules more than the ${maxSites} that can be imported at once`,
    )
  // Rules that were switched off before say nothing about those of wildcards.
  const used = files.rules.filter((rule) => rule['Disabled'] !== true && rule['ProxyType'] !== 0)
  const open = new Set(sites.flatMap(({ site }) => (site.enabled === true ? (site.domains ?? []) : [])))
  const closed = used.flatMap((rule) => domainsOf(rule).domains).filter((domain) => !open.has(domain))
  return { sites, report: report.items(), closed }
}

function readRule(rule: Definition, files: ZoraxyFiles, report: ImportReport): ImportedSite | [] {
  const name = textOf(rule['RootOrMatchingDomain']).slice(0, 253)
  const leave = (what: string): [] => {
    report.leftOut({ path: name }, what, name)
    return []
  }
  if (rule['ProxyType'] === 0 || name === '' || name === '/')
    return leave('the default site, for names that have no rule')
  const { domains, patterns } = domainsOf(rule)
  const [site] = domains
  if (site === undefined) return leave('a rule whose names are patterns other than *.example.org')
  const note: Note = (outcome, what) => report.add({ outcome, path: name, what, site })
  for (const pattern of patterns)
    note('lost', `the name ${pattern.slice(0, 100)}, which is a pattern other than *.example.org`)
  const proxy = readOrigins(rule, objectsIn(rule['ActiveOrigins']), note)
  if ('problem' in proxy) return leave(proxy.problem)
  const filter = filterOf(rule, files)
  const signIn = readSignIn(rule)
  const unsafe = [...filter.unsafe, ...signIn.unsafe, ...challengesOf(rule)]
  for (const what of unsafe) note('changed', `${what}; the site is switched off`)
  for (const what of signIn.lost) note('lost', what)
  noteOptions(rule, note)
  return {
    path: name,
    site: {
      site_name: site,
      domains,
      kind: 'proxy',
      ...proxy,
      ...headersOf(rule, note),
      paths: pathsOf(rule, note),
      access: filter.access,
      forward_auth: signIn.forwardAuth ?? null,
      tls: { mode: domains.every((domain) => whyNotPublic(domain) === undefined) ? 'auto' : 'internal' },
      force_https: rule['BypassGlobalTLS'] !== true,
      enabled: rule['Disabled'] !== true && unsafe.length === 0,
    },
    hashes: {},
  }
}

/** Names of a rule that a site can have, and the others. A name with a port means its host. */
function domainsOf(rule: Definition): { domains: string[]; patterns: string[] } {
  const aliases = Array.isArray(rule['MatchingDomainAlias']) ? rule['MatchingDomainAlias'].map(textOf) : []
  const names = [textOf(rule['RootOrMatchingDomain']), ...aliases].map((name) =>
    name.toLowerCase().replace(/:\d+$/, ''),
  )
  const isUsable = (name: string) => /^(\*\.)?[^*?[\]\\]+$/.test(name)
  const unique = [...new Set(names)]
  return { domains: unique.filter(isUsable), patterns: unique.filter((name) => name !== '' && !isUsable(name)) }
}

function filterOf(rule: Definition, { filters }: ZoraxyFiles): FilterReading {
  const id = textOf(rule['AccessFilterUUID']) || 'default'
  const filter = filters.get(id)
  if (filter !== undefined) return readFilter(filter)
  // Zoraxy always writes the default filter, which may refuse visitors like any other.
  const file = id === 'default' ? 'the default access filter, whose file conf/access/default.json' : ''
  return {
    access: { allow: [], deny: [] },
    unsafe: [`${file || `the access filter ${id.slice(0, 60)}, whose file`} is not in the text`],
  }
}

/** What visitors have to pass that a site does not ask. */
const challengesOf = (rule: Definition): string[] =>
  rule['RequireCaptcha'] === true ? ['a captcha before the site'] : []

/** Options without which a site answers the same visitors nearly the same. */
const options: readonly (readonly [option: string, what: string])[] = [
  ['RequireRateLimit', 'the limit of requests a second: not possible with stock Caddy'],
  ['BlockCommonExploits', 'the rules against common attacks'],
  ['BlockAICrawlers', 'the rules against crawlers'],
  ['DisableWebSocket', 'that WebSockets are refused'],
  ['ForceHTTP11', 'that origins are only asked with HTTP/1.1'],
  ['EnableConnectSupport', 'tunnels by CONNECT'],
]

function noteOptions(rule: Definition, note: Note): void {
  for (const [option, what] of options) if (rule[option] === true) note('lost', what)
  const ports = Array.isArray(rule['ListeningPorts']) ? rule['ListeningPorts'].map(textOf) : []
  if (ports.length > 0) note('lost', `ports of its own: ${ports.join(', ').slice(0, 100)}`)
}

function headersOf(rule: Definition, note: Note): Pick<SiteInput, 'request_headers' | 'response_headers' | 'hsts'> {
  const rewrites = isObject(rule['HeaderRewriteRules']) ? rule['HeaderRewriteRules'] : {}
  const changes = objectsIn(rewrites['UserDefinedHeaders']).flatMap((header) => {
    const [name, value] = [textOf(header['Key']), textOf(header['Value'])]
    if (name === '') return []
    const isRemoved = header['IsRemove'] === true || value === ''
    if (!isRemoved && /[{}$]/.test(value)) {
      note('lost', `the header ${name.slice(0, 60)}, whose value has a variable`)
      return []
    }
    const change: HeaderChange = { op: isRemoved ? 'delete' : 'set', name, value: isRemoved ? '' : value }
    return [{ change, isForVisitors: header['Direction'] === 1 }]
  })
  if (rewrites['EnablePermissionPolicyHeader'] === true) note('lost', 'the header Permissions-Policy')
  const age = Number(rewrites['HSTSMaxAge'] ?? 0)
  const host = textOf(rewrites['RequestHostOverwrite'])
  if (host !== '')
    note('lost', `the name ${host.slice(0, 100)} that origins are told; a site tells them the visitor's, or their own`)
  return {
    request_headers: changes.filter(({ isForVisitors }) => !isForVisitors).map(({ change }) => change),
    response_headers: changes.filter(({ isForVisitors }) => isForVisitors).map(({ change }) => change),
    hsts:
      age > 0
        ? {
            max_age: Math.min(63_072_000, Math.trunc(age)),
            subdomains: rewrites['HSTSIncludeSubdomains'] === true,
            preload: false,
          }
        : null,
  }
}

function pathsOf(rule: Definition, note: Note): NonNullable<SiteInput['paths']> {
  const all = objectsIn(rule['VirtualDirectories']).filter((one) => one['Disabled'] !== true)
  if (all.length > maxPaths)
    note('lost', `${all.length - maxPaths} virtual directories more than the ${maxPaths} paths of a site`)
  return all.slice(0, maxPaths).flatMap((directory) => {
    const path = textOf(directory['MatchingPath'])
    const proxy = pathTarget(directory)
    if (!/^\/[^\s{}*?]*$/.test(path) || proxy === undefined) {
      note('lost', `the virtual directory ${path.slice(0, 100)}, which leads to more than a host and a port`)
      return []
    }
    return [{ match: 'prefix' as const, path, strip: true, kind: 'proxy' as const, ...proxy }]
  })
}

function pathTarget(directory: Definition): ProxyInput | undefined {
  const origin = {
    OriginIpOrDomain: directory['Domain'],
    RequireTLS: directory['RequireTLS'],
    SkipCertValidations: directory['SkipCertValidations'],
  }
  const proxy = readOrigins({}, [origin], () => undefined)
  return 'problem' in proxy ? undefined : proxy
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '')
const objectsIn = (value: unknown): Definition[] => (Array.isArray(value) ? value.filter(isObject) : [])
