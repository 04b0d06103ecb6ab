import type { HeaderChange } from '../../sites/guard-schema.ts'
import { isObject } from '../config/json-location.ts'
import { own, secondsOf, shown, textOf, textsOf, withoutProvider } from './read-service.ts'

/** What the middlewares of a router do, as members of a site. */
export interface Effects {
  /** Bcrypt hashes by user name; undefined without basic authentication. */
  hashes: Record<string, string> | undefined
  allow: string[] | undefined
  forwardAuth: { url: string; uri: string; copy_headers: string[] } | undefined
  requestHeaders: HeaderChange[]
  responseHeaders: HeaderChange[]
  hsts: { max_age: number; subdomains: boolean; preload: boolean } | undefined
  /** Prefixes that are taken off the path. */
  strips: string[]
  isCompressed: boolean
  maxBody: number | null
  retries: number
  /** The router only sends visitors on to HTTPS. */
  redirectsToHttps: boolean
  /** What the site goes without. */
  readonly lost: string[]
  /** Why the site would answer where it did not, or otherwise than it did: it is switched off then. */
  readonly unsafe: string[]
}

type Definition = Readonly<Record<string, unknown>>
type Reader = (given: Definition, effects: Effects) => void

const bcrypt = /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/
/** Chains in one another, and middlewares of a router with those of its chains, at most. */
const [maxChain, maxReadings] = [20, 200]

/** The middlewares of one router while they are read. */
interface Reading {
  readonly effects: Effects
  /** Middlewares that may still be read. */
  left: number
}

/** Reads the middlewares of a dynamic configuration by name. */
export class TraefikMiddlewares {
  readonly #definitions: Definition

  constructor(http: Definition) {
    this.#definitions = isObject(http['middlewares']) ? http['middlewares'] : {}
  }

  /** What these middlewares do together, in their order. */
  read(names: unknown): Effects {
    const effects: Effects = {
      hashes: undefined,
      allow: undefined,
      forwardAuth: undefined,
      requestHeaders: [],
      responseHeaders: [],
      hsts: undefined,
      strips: [],
      isCompressed: false,
      maxBody: null,
      retries: 0,
      redirectsToHttps: false,
      lost: [],
      unsafe: [],
    }
    this.#readAll(names, { effects, left: maxReadings }, 0)
    return effects
  }

  #readAll(names: unknown, reading: Reading, depth: number): void {
    for (const name of textsOf(names)) {
      // What is below zero was said already.
      if (reading.left < 0) return
      reading.left -= 1
      if (reading.left < 0) reading.effects.unsafe.push(`more than ${maxReadings} middlewares`)
      else this.#readOne(name, reading, depth)
    }
  }

  #readOne(name: string, reading: Reading, depth: number): void {
    const { effects } = reading
    const definition = own(this.#definitions, withoutProvider(name))
    if (!isObject(definition)) {
      effects.unsafe.push(`the middleware ${shown(name)}, which is not in this file`)
      return
    }
    for (const [kind, given] of Object.entries(definition)) {
      const options = isObject(given) ? given : {}
      if (kind === 'chain' && depth < maxChain) this.#readAll(options['middlewares'], reading, depth + 1)
      else if (Object.hasOwn(readers, kind)) readers[kind]?.(options, effects)
      else if (harmless.has(kind)) effects.lost.push(`the middleware ${shown(name)} (${kind})`)
      else effects.unsafe.push(`the middleware ${shown(name)} (${shown(kind)})`)
    }
  }
}

/** Middlewares without which a site answers the same visitors the same. */
const harmless = new Set([
  'rateLimit',
  'inFlightReq',
  'inFlightConn',
  'circuitBreaker',
  'errors',
  'contentType',
  'passTLSClientCert',
  'grpcWeb',
])

const readers: Readonly<Record<string, Reader>> = {
  basicAuth: readBasicAuth,
  ipAllowList: readNetworks,
  ipWhiteList: readNetworks,
  forwardAuth: readForwardAuth,
  headers: readHeaders,
  compress: (_, effects) => {
    effects.isCompressed = true
  },
  stripPrefix(given, effects) {
    effects.strips.push(...textsOf(given['prefixes']))
  },
  redirectScheme(given, effects) {
    if (given['scheme'] === 'https') effects.redirectsToHttps = true
    else effects.unsafe.push('a redirect to another scheme than https')
  },
  buffering(given, effects) {
    const most = given['maxRequestBodyBytes']
    if (typeof most === 'number' && Number.isSafeInteger(most) && most > 0) effects.maxBody = most
  },
  retry(given, effects) {
    effects.retries = Math.min(10, Math.max(0, Math.trunc(Number(given['attempts'] ?? 0)) || 0))
  },
}

function readBasicAuth(given: Definition, effects: Effects): void {
  // Every list has to let a visitor in, while users of a site are united.
  if (effects.hashes !== undefined) effects.unsafe.push('two lists of users, both of which a visitor has to be on')
  const hashes: Record<string, string> = effects.hashes ?? {}
  for (const user of textsOf(given['users'])) {
    const [, name = '', hash = ''] = /^([^:]{1,128}):(.*)$/.exec(user) ?? []
    if (bcrypt.test(hash) && name !== '__proto__') hashes[name] = hash
    else effects.lost.push(`the password of ${shown(name) || 'a user'}, which is not hashed with bcrypt`)
  }
  if (given['usersFile'] !== undefined) effects.lost.push('the users of a file, which is not at hand')
  if (given['headerField'] !== undefined) effects.lost.push('the header with the name of the user')
  if (Object.keys(hashes).length === 0) effects.unsafe.push('no password of the basic authentication can be taken over')
  effects.hashes = hashes
}

function readNetworks(given: Definition, effects: Effects): void {
  const networks = textsOf(given['sourceRange'])
  if (networks.length === 0) effects.unsafe.push('a list of networks without networks')
  if (given['ipStrategy'] !== undefined)
    effects.unsafe.push('addresses that are found behind other proxies; see the trusted proxies of the node')
  // Every list has to let a visitor in.
  if (effects.allow !== undefined) effects.unsafe.push('two lists of networks, both of which a visitor has to be on')
  effects.allow = networks
}

function readForwardAuth(given: Definition, effects: Effects): void {
  const { address } = given
  if (typeof address !== 'string' || !URL.canParse(address) || effects.forwardAuth !== undefined) {
    effects.unsafe.push(
      effects.forwardAuth === undefined
        ? 'a forward authentication without an address'
        : 'a second forward authentication',
    )
    return
  }
  const url = new URL(address)
  effects.forwardAuth = {
    url: `${url.protocol}//${url.host}`,
    uri: `${url.pathname}${url.search}`,
    copy_headers: textsOf(given['authResponseHeaders']),
  }
  const rest = Object.keys(given).filter(
    (key) => !['address', 'authResponseHeaders', 'trustForwardHeader'].includes(key),
  )
  if (rest.length > 0) effects.lost.push(`of the forward authentication: ${rest.join(', ').slice(0, 200)}`)
}

/** Options of `headers` that each set one header of the answer. */
const namedHeaders: Readonly<Record<string, (value: unknown) => [name: string, value: string] | undefined>> = {
  frameDeny: (value) => (value === true ? ['X-Frame-Options', 'DENY'] : undefined),
  customFrameOptionsValue: (value) => ['X-Frame-Options', textOf(value)],
  contentTypeNosniff: (value) => (value === true ? ['X-Content-Type-Options', 'nosniff'] : undefined),
  browserXssFilter: (value) => (value === true ? ['X-XSS-Protection', '1; mode=block'] : undefined),
  customBrowserXSSValue: (value) => ['X-XSS-Protection', textOf(value)],
  contentSecurityPolicy: (value) => ['Content-Security-Policy', textOf(value)],
  referrerPolicy: (value) => ['Referrer-Policy', textOf(value)],
  permissionsPolicy: (value) => ['Permissions-Policy', textOf(value)],
}

function readHeaders(given: Definition, effects: Effects): void {
  effects.requestHeaders.push(...changesOf(given['customRequestHeaders']))
  effects.responseHeaders.push(...changesOf(given['customResponseHeaders']))
  const seconds = secondsOf(given['stsSeconds'])
  if (seconds !== undefined && seconds > 0)
    effects.hsts = {
      max_age: Math.min(63_072_000, Math.trunc(seconds)),
      subdomains: given['stsIncludeSubdomains'] === true,
      preload: given['stsPreload'] === true,
    }
  if (given['sslRedirect'] === true) effects.redirectsToHttps = true
  const known = new Set([
    'customRequestHeaders',
    'customResponseHeaders',
    'stsSeconds',
    'stsIncludeSubdomains',
    'stsPreload',
    'sslRedirect',
    'forceSTSHeader',
  ])
  for (const [option, value] of Object.entries(given)) {
    if (Object.hasOwn(namedHeaders, option)) {
      const header = namedHeaders[option]?.(value)
      if (header !== undefined) effects.responseHeaders.push({ op: 'set', name: header[0], value: header[1] })
    } else if (!known.has(option)) effects.lost.push(`of the headers: ${shown(option)}`)
  }
}

function changesOf(given: unknown): HeaderChange[] {
  if (!isObject(given)) return []
  return Object.entries(given).map(([name, value]) =>
    textOf(value) === '' ? { op: 'delete', name, value: '' } : { op: 'set', name, value: textOf(value) },
  )
}
