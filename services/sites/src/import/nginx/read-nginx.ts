import { readDomain, whyNotPublic } from '../../sites/domains.ts'
import type { ImportedSite, ImportReading, SiteInput } from '../config/read-config.ts'
import { ImportReport } from '../config/site-reading.ts'
import { type Directive, readDirectives } from './nginx-directives.ts'
import { isToHttps, readTarget, type Surroundings, type UpstreamGroup } from './read-location.ts'

const [maxSites, maxPaths] = [5000, 50]

/** Directives that decide who may come, or change what is asked and answered. A site that had one is switched off. */
const decisive =
  /^(auth_basic(_user_file)?|auth_request(_set)?|auth_jwt|satisfy|if|rewrite|internal|error_page|mirror|valid_referers|secure_link|access_by_lua.*|content_by_lua.*|rewrite_by_lua.*|ssl_verify_client|limit_except|geoip.*|perl|js_.*)$/
/** Directives that a site does without, and that are worth a word. */
const missed =
  /^(limit_(req|conn|rate).*|sub_filter.*|proxy_(cache|redirect|cookie|next_upstream).*|expires|gzip_types)$/
/** Files that say nothing about who may come. */
const harmlessFile = /(ssl|tls|dhparam|proxy|resolver|params|mime|header|gzip|brotli|websocket|cache|logs?)[^/]*$/i

/** One server while it is read. */
interface Server {
  readonly directive: Directive
  readonly block: readonly Directive[]
  readonly names: readonly string[]
  readonly isSecure: boolean
}

/**
 * Reads the server blocks of nginx, also those of SWAG: proxies, redirects, folders and fixed answers become sites, locations their
 * paths. Files that are included are not read. What a site cannot do is in the report; a site that would answer where nginx did not
 * is switched off. Throws `NginxUnreadable`.
 */
export function readNginx(text: string): ImportReading {
  return new NginxReader(readDirectives(text)).read()
}

class NginxReader {
  readonly #report = new ImportReport()
  readonly #servers: readonly Server[]
  readonly #groups: ReadonlyMap<string, UpstreamGroup>

  constructor(directives: readonly Directive[]) {
    const all = directives.flatMap((one) => (one.name === 'http' ? (one.block ?? []) : [one]))
    this.#groups = new Map(
      all.flatMap(({ name, words, block }) => (name === 'upstream' ? [[words[0] ?? '', groupOf(block ?? [])]] : [])),
    )
    this.#servers = all.flatMap((one) => (one.name === 'server' ? [this.#server(one)] : []))
    for (const one of directives)
      if (one.name === 'stream') this.#report.leftOut(placeOf(one), 'streams: not possible with stock Caddy')
  }

  read(): ImportReading {
    if (this.#servers.length === 0) this.#report.leftOut({ path: '/' }, 'there is no block server in the text')
    const sites = this.#servers.flatMap((server) => this.#site(server) ?? [])
    if (sites.length > maxSites)
      this.#report.leftOut(
        { path: '/' },
        `${sites.length - maxSites} sites more than the ${maxSites} that can be imported at once`,
      )
    return { sites: sites.slice(0, maxSites), report: this.#report.items() }
  }

  #server(directive: Directive): Server {
    const block = directive.block ?? []
    const given = block.flatMap(({ name, words }) => (name === 'server_name' ? words : []))
    const names = given.flatMap((name) => {
      const reading = readDomain(name)
      if ('domain' in reading) return [reading.domain]
      if (name !== '_' && name !== '')
        this.#report.leftOut(placeOf(directive), `the name ${name.slice(0, 100)}, which is no domain`)
      return []
    })
    const listens = block.filter(({ name }) => name === 'listen')
    const isSecure = listens.some(
      ({ words: [address = '', ...rest] }) => /(^|:)443$/.test(address) || rest.includes('ssl'),
    )
    return { directive, block, names: [...new Set(names)], isSecure }
  }

  #site(server: Server): ImportedSite | undefined {
    const { block, directive, names, isSecure } = server
    const place = placeOf(directive)
    const site = names[0] ?? null
    const note = (outcome: 'changed' | 'lost', what: string) => this.#report.add({ outcome, ...place, what, site })
    if (names.length === 0) {
      this.#report.leftOut(place, 'a server without a domain')
      return undefined
    }
    // What only leads to HTTPS is part of the site that it leads to.
    const secure = this.#servers.find((other) => other.isSecure && names.every((name) => other.names.includes(name)))
    if (!isSecure && onlyRedirects(block) && secure !== undefined) return undefined
    const reasons: string[] = []
    const unsafe = (what: string) => {
      if (!reasons.includes(what)) reasons.push(what)
    }
    checkAll(block, { lost: (what) => note('lost', what), unsafe })
    const surroundings = {
      variables: variablesOf(block),
      groups: this.#groups,
      prefix: '/',
      lost: (what: string) => note('lost', what),
    }
    const main = this.#main(block, surroundings)
    if ('problem' in main) {
      this.#report.leftOut(place, main.problem, site)
      return undefined
    }
    const paths = this.#paths(block, { ...surroundings, unsafe })
    if (block.some(({ name }) => name === 'ssl_certificate'))
      note('changed', 'its certificate, whose files are not at hand; until it is uploaded, Caddy gets one itself')
    for (const what of reasons) note('changed', `${what}; the site is switched off`)
    const isPublic = names.every((name) => whyNotPublic(name) === undefined)
    const redirects = this.#servers.some(
      (other) => !other.isSecure && onlyRedirects(other.block) && names.some((name) => other.names.includes(name)),
    )
    const { isStripped: _isStripped, ...target } = main
    return {
      ...place,
      site: {
        site_name: names[0] ?? '',
        domains: [...names],
        ...target,
        paths,
        ...accessOf(block, unsafeLater(note)),
        tls: { mode: !isSecure ? 'off' : isPublic ? 'auto' : 'internal' },
        force_https: isSecure && redirects,
        hsts: isSecure ? hstsOf(block) : null,
        compression: block.some(({ name, words }) => name === 'gzip' && words[0] === 'on') ? 'gzip' : 'off',
        max_body: bodyOf(block),
        enabled: reasons.length === 0,
      },
      hashes: {},
    }
  }

  #main(block: readonly Directive[], surroundings: Surroundings) {
    const location = block.find(({ name, words }) => name === 'location' && words.length === 1 && words[0] === '/')
    const own = block.filter(({ name }) => name !== 'location')
    // A location has what its server says, unless it says so itself.
    const inner = location?.block ?? []
    const inherited = own.filter(({ name }) => !inner.some((one) => one.name === name))
    const variables = new Map([...surroundings.variables, ...variablesOf(inner)])
    const target = readTarget([...inner, ...inherited], { ...surroundings, variables })
    return target ?? { kind: 'respond' as const, respond: { status: 404, body: 'Not found\n' }, isStripped: false }
  }

  #paths(block: readonly Directive[], surroundings: Surroundings & { unsafe: (what: string) => void }) {
    const paths: NonNullable<SiteInput['paths']> = []
    for (const { name, words, block: inner = [] } of block) {
      if (name !== 'location' || (words.length === 1 && words[0] === '/')) continue
      const shown = words.join(' ').slice(0, 100)
      const [sign = '', text = ''] = words.length === 1 ? ['', words[0]] : words
      const match = sign === '=' ? 'exact' : sign === '' || sign === '^~' ? 'prefix' : undefined
      // A location in a location may ask for something, too.
      const isAsking = inner.some(({ name: own }) => /^(deny|allow|location)$/.test(own) || decisive.test(own))
      const variables = new Map([...surroundings.variables, ...variablesOf(inner)])
      const own = { ...surroundings, variables, prefix: text }
      const target = match === undefined || !/^\/[^\s{}*]*$/.test(text) ? undefined : readTarget(inner, own)
      if (target === undefined || 'problem' in target || match === undefined || paths.length >= maxPaths) {
        const why = target !== undefined && 'problem' in target ? ` (${target.problem})` : ''
        surroundings.lost(`the location ${shown}${why}`)
        // Its addresses are then answered by the rest of the site.
        if (isAsking || inner.some((one) => one.name === 'return'))
          surroundings.unsafe(`the location ${shown} kept something back`)
        continue
      }
      if (isAsking) surroundings.unsafe(`the location ${shown} asks something of visitors`)
      const { isStripped, ...members } = target
      paths.push({ ...members, match, path: text, strip: isStripped })
    }
    return paths
  }
}

const placeOf = ({ name, line }: Directive) => ({ path: `${name}, line ${line}` })

/** A server that does nothing but lead to HTTPS. */
function onlyRedirects(block: readonly Directive[]): boolean {
  const inner = block.flatMap((one) => (one.name === 'if' || one.name === 'location' ? (one.block ?? []) : [one]))
  return inner.some(isToHttps) && !inner.some(({ name }) => name === 'proxy_pass' || name === 'root')
}

/** Looks at every directive of a server but for the locations that become paths. */
function checkAll(
  block: readonly Directive[],
  { lost, unsafe }: { lost: (what: string) => void; unsafe: (what: string) => void },
) {
  for (const { name, words, block: inner } of block) {
    const shown = `${name} ${words.join(' ')}`.slice(0, 150)
    if (name === 'location' && words.length === 1 && words[0] === '/') {
      checkAll(inner ?? [], { lost, unsafe })
      if (inner?.some((one) => /^(deny|allow|location)$/.test(one.name)))
        unsafe('the location / asks something of visitors')
    } else if (name === 'auth_basic' && words[0] === 'off') continue
    else if (name === 'ssl_verify_client' && words[0] === 'off') continue
    else if (name === 'include') {
      if (harmlessFile.test(words[0] ?? '') && !/auth/i.test(words[0] ?? ''))
        lost(`the file ${words[0]}, which is not read`)
      else unsafe(`the file ${words[0]}, which is not read`)
    } else if (decisive.test(name)) unsafe(shown)
    else if (missed.test(name)) lost(shown)
  }
}

function groupOf(block: readonly Directive[]): UpstreamGroup {
  const servers = block.flatMap(({ name, words: [address = '', ...rest] }) => {
    if (name !== 'server' || rest.includes('down') || rest.includes('backup')) return []
    const weight = Number(/^weight=(\d{1,4})$/.exec(rest.find((word) => word.startsWith('weight=')) ?? '')?.[1] ?? 1)
    return [{ address, weight: Math.min(1000, Math.max(1, weight)) }]
  })
  const has = (word: string) => block.some(({ name }) => name === word)
  const isWeighted = servers.some(({ weight }) => weight !== 1)
  const policy = has('least_conn')
    ? 'least_conn'
    : has('ip_hash')
      ? 'ip_hash'
      : isWeighted
        ? 'weighted_round_robin'
        : 'round_robin'
  return { servers, policy }
}

const variablesOf = (block: readonly Directive[]): Map<string, string> =>
  new Map(
    block.flatMap(({ name, words: [key = '', value = ''] }) =>
      name === 'set' ? [[key.replace(/^\$/, ''), value]] : [],
    ),
  )

/** Networks of a server, whose rules nginx takes in their order. */
function accessOf(block: readonly Directive[], changed: (what: string) => void): Pick<SiteInput, 'access'> {
  const rules = block.filter(({ name }) => name === 'allow' || name === 'deny')
  const of = (name: string) => rules.filter((rule) => rule.name === name).map(({ words }) => words[0] ?? '')
  const [allow, deny] = [of('allow'), of('deny')]
  const firstDeny = rules.findIndex(({ name }) => name === 'deny')
  const isInOrder = !rules.slice(firstDeny).some(({ name, words }) => name === 'allow' && words[0] !== 'all')
  if (firstDeny !== -1 && !isInOrder)
    changed('networks that are denied are refused also where a later rule allowed them')
  const named = (networks: readonly string[]) => networks.filter((network) => network !== 'all')
  if (deny.includes('all') && named(allow).length === 0) return { access: { deny: ['0.0.0.0/0', '::/0'] } }
  return { access: { allow: deny.includes('all') ? named(allow) : [], deny: named(deny) } }
}

const unsafeLater = (note: (outcome: 'changed', what: string) => void) => (what: string) => note('changed', what)

function hstsOf(block: readonly Directive[]): SiteInput['hsts'] {
  const header = block.find(
    ({ name, words }) => name === 'add_header' && words[0]?.toLowerCase() === 'strict-transport-security',
  )
  const value = header?.words[1] ?? ''
  const age = Number(/max-age=(\d{1,8})/i.exec(value)?.[1] ?? 0)
  if (age === 0) return null
  return {
    max_age: Math.min(63_072_000, age),
    subdomains: /includesubdomains/i.test(value),
    preload: /preload/i.test(value),
  }
}

const sizes: Readonly<Record<string, number>> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 }

function bodyOf(block: readonly Directive[]): number | null {
  const text = block.find(({ name }) => name === 'client_max_body_size')?.words[0] ?? ''
  const [, number = '0', unit = ''] = /^(\d{1,12})([kmg]?)$/i.exec(text) ?? []
  const bytes = Number(number) * (sizes[unit.toLowerCase()] ?? 1)
  return bytes > 0 ? Math.min(1024 ** 4, bytes) : null
}
