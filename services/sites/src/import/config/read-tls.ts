import { Tls } from '../../sites/guard-schema.ts'
import { isWildcard, whyNotPublic, wildcardOver } from '../../sites/domains.ts'
import type { SiteRecord } from '../../sites/schema.ts'
import { at, giveUp, itemsOf, type JsonLocation, Members, membersOf, textOf, textsOf } from './json-location.ts'
import type { SiteReading } from './site-reading.ts'
import { readAuthority } from './read-transport.ts'

/** A certificate with its key, PEM. */
export interface FoundCertificate {
  readonly certificate: string
  readonly key: string
}

/** TLS of a site, and the certificate that has to be uploaded for it. */
export interface TlsReading {
  readonly tls: SiteRecord['tls']
  readonly certificate?: FoundCertificate
}

/** The parts of a configuration that say how hosts are served with TLS. */
export interface TlsPositions {
  /** The app `tls`. */
  readonly app: JsonLocation | undefined
  /** `tls_connection_policies` of the server. */
  readonly connections: JsonLocation | undefined
}

const letsEncryptStaging = 'https://acme-staging-v02.api.letsencrypt.org/directory'
/** Authorities that Caddy uses by default. */
const usualAuthorities = new Set([
  undefined,
  'https://acme-v02.api.letsencrypt.org/directory',
  'https://acme.zerossl.com/v2/DV90',
])

/** Reads how a host is served. Every host of a site must be served alike; the caller compares. */
export function readTls(host: string, locations: TlsPositions, reading: SiteReading): TlsReading {
  const issued = readIssuing(host, locations.app, reading)
  const connection = itemsOf(locations.connections).find((policy) => isForConnection(host, policy))
  if (connection === undefined) return { tls: issued }
  const members = new Members(connection, 'match', 'alpn')
  const minimum = textOf(members.take('protocol_min'))
  const clients = members.take('client_authentication')
  const selection = members.take('certificate_selection')
  const tls: SiteRecord['tls'] = {
    ...issued,
    min_version: minimum === 'tls1.3' ? '1.3' : '1.2',
    client_auth_ca_id: clients === undefined ? null : readClientAuthority(clients, reading),
  }
  for (const name of ['protocol_max', 'cipher_suites', 'curves', 'default_sni', 'fallback_sni'])
    reading.lost(members.take(name), 'fine tuning of TLS')
  members.refuseOthers('a way of TLS that sites do not have')
  return selection === undefined ? { tls } : readSelection(tls, { host, selection, app: locations.app }, reading)
}

function readIssuing(host: string, app: JsonLocation | undefined, reading: SiteReading): SiteRecord['tls'] {
  const usual = Tls.parse({})
  const policies = itemsOf(at(app, 'automation', 'policies'))
  const policy =
    policies.find((policy) => isFor(host, at(policy, 'subjects'))) ??
    policies.find((policy) => (textsOf(at(policy, 'subjects')) ?? []).length === 0)
  const isNamed = policy !== undefined && at(policy, 'subjects') !== undefined
  if (!isNamed && whyNotPublic(host) !== undefined) return { ...usual, mode: 'internal' }
  if (policy === undefined) return usual
  const members = new Members(policy, 'subjects')
  const issuers = itemsOf(members.take('issuers'))
  const isOnDemand = members.take('on_demand')?.value === true
  if (isNamed) for (const member of members.left()) reading.lost(member, 'how certificates are got')
  const [first] = issuers
  const module = at(first, 'module')?.value
  if (module === 'internal') {
    for (const [name, member] of membersOf(first))
      if (name !== 'module') reading.lost(member, 'fine tuning of the internal authority')
    return { ...usual, mode: 'internal' }
  }
  const mode = isOnDemand ? 'on_demand' : 'auto'
  return first === undefined ? { ...usual, mode } : { ...usual, mode, ...readIssuer(first, { isNamed, reading }) }
}

function readIssuer(issuer: JsonLocation, { isNamed, reading }: { isNamed: boolean; reading: SiteReading }) {
  const members = new Members(issuer)
  const module = members.take('module')?.value
  if (module !== 'acme' && module !== 'zerossl')
    reading.lost(issuer, 'an authority that sites do not have; the usual one takes its place')
  const ca = module === 'acme' ? textOf(members.take('ca')) : undefined
  members.skip('email', 'ca')
  const account = members.take('external_account')
  if (reading.options.isOurs !== true)
    reading.lost(account, 'an external account at the authority; enter it in the settings')
  const challenges = members.take('challenges')
  reading.lost(challenges, 'ACME challenges, such as by DNS; wildcard certificates need one')
  if (isNamed) for (const member of members.left()) reading.lost(member, 'fine tuning of ACME')
  if (ca === letsEncryptStaging) return { staging: true }
  return usualAuthorities.has(ca) ? {} : { acme_ca: ca ?? null }
}

function readClientAuthority(location: JsonLocation, reading: SiteReading): number {
  const ca = at(location, 'ca')
  const mode = textOf(at(location, 'mode')) ?? 'require_and_verify'
  if (mode !== 'require_and_verify') giveUp(location, 'optional client certificates')
  const list = ca ? at(ca, 'trusted_ca_certs') : at(location, 'trusted_ca_certs')
  return readAuthority(location, list, reading) ?? giveUp(location, 'client certificates')
}

interface Selection {
  readonly host: string
  readonly selection: JsonLocation
  readonly app: JsonLocation | undefined
}

function readSelection(tls: SiteRecord['tls'], { host, selection, app }: Selection, reading: SiteReading): TlsReading {
  const tag = tagOf(selection)
  const id = reading.options.isOurs && /^certificate-(\d{1,9})$/.exec(tag)?.[1]
  if (id) return { tls: { ...tls, mode: 'custom', certificate_id: Number(id) } }
  const certificate = findPem(app, tag)
  if (certificate !== undefined) return { tls: { ...tls, mode: 'custom' }, certificate }
  const what = 'a certificate from files of the server; until it is uploaded and chosen, Caddy gets one itself'
  reading.changed(selection, what)
  return { tls: { ...tls, mode: whyNotPublic(host) === undefined ? 'auto' : 'internal' } }
}

function findPem(app: JsonLocation | undefined, tag: string): FoundCertificate | undefined {
  for (const entry of itemsOf(at(app, 'certificates', 'load_pem'))) {
    if (!textsOf(at(entry, 'tags'))?.includes(tag)) continue
    const [certificate, key] = [textOf(at(entry, 'certificate')), textOf(at(entry, 'key'))]
    if (certificate !== undefined && key !== undefined) return { certificate, key }
  }
  return undefined
}

function tagOf(selection: JsonLocation): string {
  const tags = textsOf(at(selection, 'any_tag')) ?? textsOf(at(selection, 'all_tags')) ?? []
  return tags.length === 1 && tags[0] !== undefined ? tags[0] : giveUp(selection, 'a choice among several certificates')
}

/** Returns true when the policy decides about connections to the host: the first whose every condition holds. */
function isForConnection(host: string, policy: JsonLocation): boolean {
  const conditions = membersOf(at(policy, 'match'))
  const names = conditions.find(([name]) => name === 'sni')?.[1]
  if (names !== undefined && !isFor(host, names)) return false
  if (conditions.length > (names === undefined ? 0 : 1))
    giveUp(policy, 'TLS that depends on more than the name of the server')
  return true
}

function isFor(host: string, names: JsonLocation | undefined): boolean {
  const list = textsOf(names)
  if (list === undefined) return false
  const wildcard = isWildcard(host) ? undefined : wildcardOver(host)
  return list.includes(host) || (wildcard !== undefined && list.includes(wildcard))
}
