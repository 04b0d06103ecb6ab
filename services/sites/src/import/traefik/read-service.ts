import { readUpstreamUrl } from '../../sites/upstream-url.ts'
import type { SiteInput } from '../config/read-config.ts'
import { isObject } from '../config/json-location.ts'

/** Members of a site or path that its upstreams have. */
export type ProxyInput = Pick<SiteInput, 'upstreams' | 'upstream_host' | 'lb' | 'health' | 'upstream_tls'>

/** What a service of Traefik becomes: upstreams, and what is lost. */
export type ServiceReading =
  | { readonly members: ProxyInput; readonly lost: readonly string[] }
  | { readonly problem: string }

type Definitions = Readonly<Record<string, unknown>>

/** Upstreams at most. */
const maxUpstreams = 64

/** Reads the services of a dynamic configuration by name. */
export class TraefikServices {
  readonly #services: Definitions
  readonly #transports: Definitions

  constructor(http: Definitions) {
    this.#services = isObject(http['services']) ? http['services'] : {}
    this.#transports = isObject(http['serversTransports']) ? http['serversTransports'] : {}
  }

  read(name: string): ServiceReading {
    if (name.endsWith('@internal')) return { problem: `the service ${shown(name)} of Traefik itself` }
    const service = own(this.#services, withoutProvider(name))
    if (!isObject(service)) return { problem: `the service ${shown(name)}, which is not in this file` }
    if (isObject(service['loadBalancer'])) return this.#balanced(service['loadBalancer'])
    if (isObject(service['weighted'])) return this.#weighted(service['weighted'])
    return { problem: `the service ${shown(name)}, which is no load balancer` }
  }

  #balanced(given: Definitions): ServiceReading {
    const urls = serversOf(given)
    if (urls === undefined || urls.length === 0) return { problem: 'a service without servers' }
    const wrong = urls.find((url) => 'problem' in readUpstreamUrl(url))
    if (wrong !== undefined) return { problem: `the server ${shown(wrong)}, which is more than a host and a port` }
    if (urls.length > maxUpstreams) return { problem: `a service of more than ${maxUpstreams} servers` }
    const lost: string[] = []
    return {
      members: {
        upstreams: urls.map((url) => ({ url: url.replace(/\/$/, '') })),
        upstream_host: given['passHostHeader'] === false ? 'upstream' : 'client',
        ...stickyOf(given),
        ...healthOf(given, lost),
        ...this.#transportOf(given, lost),
      },
      lost,
    }
  }

  /** Several services with shares: each has to be one server. */
  #weighted(given: Definitions): ServiceReading {
    const parts = Array.isArray(given['services']) ? given['services'].filter(isObject) : []
    const lost: string[] = isObject(given['sticky']) ? ['that a visitor stays with a service'] : []
    const upstreams: { url: string; weight: number }[] = []
    let first: ProxyInput | undefined
    for (const part of parts.slice(0, maxUpstreams)) {
      const name = textOf(part['name'])
      const target = own(this.#services, withoutProvider(name))
      const reading = isObject(target) && isObject(target['loadBalancer']) ? this.read(name) : undefined
      if (reading === undefined || 'problem' in reading || reading.members.upstreams?.length !== 1)
        return { problem: `the share of ${shown(name)}, which is not one server` }
      first ??= reading.members
      const weight = Math.min(1000, Math.max(1, Math.trunc(Number(part['weight'] ?? 1)) || 1))
      upstreams.push({ url: reading.members.upstreams[0]?.url ?? '', weight })
    }
    if (first === undefined) return { problem: 'a weighted service without services' }
    return { members: { ...first, upstreams, lb: { policy: 'weighted_round_robin' } }, lost }
  }

  #transportOf(given: Definitions, lost: string[]): Pick<ProxyInput, 'upstream_tls'> {
    const name = given['serversTransport']
    if (typeof name !== 'string') return {}
    const transport = own(this.#transports, withoutProvider(name))
    if (!isObject(transport)) {
      lost.push(`the transport ${shown(name)}, which is not in this file`)
      return {}
    }
    const others = Object.keys(transport).filter((key) => !['insecureSkipVerify', 'serverName'].includes(key))
    if (others.length > 0) lost.push(`of the transport ${shown(name)}: ${others.join(', ').slice(0, 200)}`)
    const server = transport['serverName']
    return {
      upstream_tls: {
        ...(transport['insecureSkipVerify'] === true && { verify: false }),
        ...(typeof server === 'string' && server !== '' && { server_name: server }),
      },
    }
  }
}

/** Name of a middleware or service without the provider that it says it comes from, `@file`. */
export const withoutProvider = (name: string): string => name.replace(/@file$/, '')

/** A member of an object by name, and not one that every object has. */
export const own = (object: Definitions, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined

/** A text, number or switch as a text; empty for anything else. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''

/** The texts of a list; a single text is a list of one. */
export function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value]
  return Array.isArray(value) ? value.map(textOf) : []
}

/** A text of the file as a report shows it. */
export const shown = (text: string): string => text.replaceAll(/\p{Cc}/gu, '?').slice(0, 100)

function serversOf({ servers }: Definitions): string[] | undefined {
  if (!Array.isArray(servers)) return undefined
  return servers.map((server) => (isObject(server) && typeof server['url'] === 'string' ? server['url'] : ''))
}

function stickyOf({ sticky }: Definitions): Pick<ProxyInput, 'lb'> {
  if (!isObject(sticky) || !isObject(sticky['cookie'])) return {}
  const { name } = sticky['cookie']
  return { lb: { policy: 'cookie', name: typeof name === 'string' && name !== '' ? name : 'lb' } }
}

function healthOf({ healthCheck: given }: Definitions, lost: string[]): Pick<ProxyInput, 'health'> {
  if (!isObject(given)) return {}
  const path = given['path']
  if (typeof path !== 'string' || !path.startsWith('/')) {
    lost.push('a health check without a path')
    return {}
  }
  const others = Object.keys(given).filter((key) => !['path', 'interval', 'timeout', 'hostname'].includes(key))
  if (others.length > 0) lost.push(`of the health check: ${others.join(', ').slice(0, 200)}`)
  const interval = Math.min(3600, Math.max(2, secondsOf(given['interval']) ?? 30))
  const timeout = Math.min(60, Math.max(0.1, secondsOf(given['timeout']) ?? 5))
  const host = given['hostname']
  return { health: { active: { path, interval, timeout, ...(typeof host === 'string' && { host_header: host }) } } }
}

const units: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600 }

/** Seconds of a duration such as `10s`, `1m30s` or a number of seconds. */
export function secondsOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  if (typeof value !== 'string' || !/^(?:\d+(?:\.\d+)?|(?:\d+(?:\.\d+)?(?:ms|s|m|h))+)$/.test(value)) return undefined
  return Array.from(
    value.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)?/g),
    ([, number, unit = 's']) => Number(number) * (units[unit] ?? 1),
  ).reduce((sum, part) => sum + part, 0)
}
