import { parse as parseToml } from 'smol-toml'
import { parse as parseYaml } from 'yaml'
import { isObject } from '../config/json-location.ts'
import { TraefikUnreadable } from './traefik-unreadable.ts'

/** Reads a dynamic configuration in YAML or TOML. Throws `TraefikUnreadable`. */
export function readTraefikDocument(text: string): Readonly<Record<string, unknown>> {
  const document = parse(text)
  if (!isObject(document)) throw new TraefikUnreadable('holds no configuration')
  if (['http', 'tcp', 'udp', 'tls'].some((name) => isObject(document[name]))) return document
  const isStatic = ['entryPoints', 'providers', 'certificatesResolvers', 'api'].some((name) => name in document)
  throw new TraefikUnreadable(
    isStatic
      ? 'is the static configuration; routers stand in the files that its provider `file` reads'
      : 'has none of http, tcp, udp and tls',
  )
}

function parse(text: string): unknown {
  const isToml = /^[ \t]*\[{1,2}[\w."' -]+\]{1,2}[ \t]*(?:#.*)?$/m.test(text)
  try {
    return withUsualKeys(isToml ? parseToml(text) : parseYaml(text, { maxAliasCount: 100, logLevel: 'error' }))
  } catch (error) {
    const [line = ''] = (error as Error).message.split('\n')
    throw new TraefikUnreadable(`cannot be read as ${isToml ? 'TOML' : 'YAML'}: ${line.slice(0, 200)}`)
  }
}

/** Keys that are read, of which Traefik takes every spelling, such as `entrypoints`. */
const usualKeys = new Map(
  [
    'http tcp udp tls options clientAuth routers services middlewares serversTransports',
    'rule entryPoints parentRefs service priority loadBalancer weighted servers url passHostHeader sticky cookie name weight',
    'healthCheck path interval timeout hostname serversTransport insecureSkipVerify serverName',
    'chain basicAuth ipAllowList ipWhiteList forwardAuth headers compress stripPrefix redirectScheme buffering retry',
    'rateLimit inFlightReq inFlightConn circuitBreaker errors contentType passTLSClientCert grpcWeb',
    'users usersFile headerField sourceRange ipStrategy address authResponseHeaders trustForwardHeader',
    'prefixes scheme maxRequestBodyBytes attempts customRequestHeaders customResponseHeaders',
    'stsSeconds stsIncludeSubdomains stsPreload sslRedirect forceSTSHeader',
    'frameDeny customFrameOptionsValue contentTypeNosniff browserXssFilter customBrowserXSSValue',
    'contentSecurityPolicy referrerPolicy permissionsPolicy',
  ].flatMap((line) => line.split(' ').map((key) => [key.toLowerCase(), key])),
)
/** Members whose keys are names that somebody gave. */
const namedBy = new Set([
  'routers',
  'services',
  'middlewares',
  'serversTransports',
  'options',
  'customRequestHeaders',
  'customResponseHeaders',
])

/** A value with the keys that are read as they are read; the names that somebody gave stay. */
function withUsualKeys(value: unknown): unknown {
  // A value may stand at several places, also within itself.
  const known = [new Map<object, object>(), new Map<object, object>()] as const
  const copy = (one: unknown, isNamed: boolean): unknown => {
    if (Array.isArray(one)) return one.map((item) => copy(item, false))
    if (!isObject(one)) return one
    const seen = known[isNamed ? 1 : 0]
    const found = seen.get(one)
    if (found !== undefined) return found
    const made: Record<string, unknown> = Object.create(null) as Record<string, unknown>
    seen.set(one, made)
    for (const [key, inner] of Object.entries(one)) {
      const name = isNamed ? key : (usualKeys.get(key.toLowerCase()) ?? key)
      if (Object.hasOwn(made, name)) throw new Error(`${name} stands twice in one place`)
      made[name] = copy(inner, !isNamed && namedBy.has(name))
    }
    return made
  }
  return copy(value, false)
}
