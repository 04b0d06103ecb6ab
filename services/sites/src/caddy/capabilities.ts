import { isSentinelError, withSentinel } from './sentinel.ts'

/** Features that a node's Caddy has beyond version 2.6.2. No call lists them; each is found by a probe. */
export interface Capabilities {
  /** WebSockets survive a change of the configuration for a while. */
  readonly streamCloseDelay: boolean
  /** Networks are compared with the client behind trusted proxies, not with the peer of the connection. */
  readonly clientIpMatcher: boolean
  /** Accepts networks of proxies whose X-Forwarded-For counts. */
  readonly trustedProxies: boolean
  /** `logger_names` takes lists, and only lists. */
  readonly loggerNameLists: boolean
  /** The mode of log files can be set. */
  readonly logFileMode: boolean
  /** Active health checks count passes and fails. */
  readonly healthPasses: boolean
  readonly weightedRoundRobin: boolean
  readonly clientIpHash: boolean
  readonly queryPolicy: boolean
  /** Authorities of upstreams are given as a module. */
  readonly tlsCaField: boolean
  /** Authorities of client certificates are given as a module. */
  readonly clientAuthCaField: boolean
  /** True if a module decides about on-demand certificates. */
  readonly onDemandPermission: boolean
}

const names = [
  'streamCloseDelay',
  'clientIpMatcher',
  'trustedProxies',
  'loggerNameLists',
  'logFileMode',
  'healthPasses',
  'weightedRoundRobin',
  'clientIpHash',
  'queryPolicy',
  'tlsCaField',
  'clientAuthCaField',
  'onDemandPermission',
] as const satisfies readonly (keyof Capabilities)[]

const all = (value: boolean) => Object.fromEntries(names.map((name) => [name, value])) as unknown as Capabilities

/** Caddy 2.6.2, as Debian 12 and 13 have it. */
export const oldestCapabilities: Capabilities = all(false)

/** Caddy 2.11. */
export const newestCapabilities: Capabilities = all(true)

/** A piece of configuration that only a Caddy with the capability takes. */
export interface CapabilityProbe {
  readonly capability: keyof Capabilities
  /** Members of the configuration beside `admin`. */
  readonly config: { readonly apps: { readonly http: { readonly servers: object } }; readonly logging?: object }
}

const server = (members: object, others: object = {}) => ({
  apps: { http: { servers: { probe: members } }, ...others },
})
const proxy = (members: object) =>
  server({ routes: [{ handle: [{ handler: 'reverse_proxy', upstreams: [{ dial: '127.0.0.1:1' }], ...members }] }] })
const policy = (selection: object) => proxy({ load_balancing: { selection_policy: selection } })

/** One probe for each capability. */
export const capabilityProbes: readonly CapabilityProbe[] = [
  { capability: 'streamCloseDelay', config: proxy({ stream_close_delay: '1s' }) },
  {
    capability: 'clientIpMatcher',
    config: server({
      routes: [{ match: [{ client_ip: { ranges: ['192.0.2.1'] } }], handle: [{ handler: 'static_response' }] }],
    }),
  },
  {
    capability: 'trustedProxies',
    config: server({
      trusted_proxies: { source: 'static', ranges: ['192.0.2.1'] },
      client_ip_headers: ['X-Forwarded-For'],
    }),
  },
  { capability: 'loggerNameLists', config: server({ logs: { logger_names: { 'probe.invalid': ['probe'] } } }) },
  {
    capability: 'logFileMode',
    // The directory cannot be made, so that no file is touched: Caddy fails either at the unknown field or at the directory.
    config: {
      ...server({}),
      logging: {
        logs: { probe: { writer: { output: 'file', filename: '/proc/hearth-probe/probe.log', mode: '0640' } } },
      },
    },
  },
  {
    capability: 'healthPasses',
    config: proxy({ health_checks: { active: { uri: '/', interval: '1h', passes: 2, fails: 2 } } }),
  },
  {
    capability: 'weightedRoundRobin',
    config: policy({ policy: 'weighted_round_robin', weights: [1] }),
  },
  { capability: 'clientIpHash', config: policy({ policy: 'client_ip_hash' }) },
  { capability: 'queryPolicy', config: policy({ policy: 'query', key: 'probe' }) },
  {
    capability: 'tlsCaField',
    config: proxy({ transport: { protocol: 'http', tls: { ca: { provider: 'inline', trusted_ca_certs: [] } } } }),
  },
  {
    capability: 'clientAuthCaField',
    config: server({
      tls_connection_policies: [{ client_authentication: { ca: { provider: 'inline', trusted_ca_certs: [] } } }],
    }),
  },
  {
    capability: 'onDemandPermission',
    config: server(
      {},
      {
        tls: { automation: { on_demand: { permission: { module: 'http', endpoint: 'http://127.0.0.1:1/' } } } },
      },
    ),
  },
]

/** The whole configuration to post for a probe. It is never applied; the node's own admin block has to be in it. */
export function probeConfig(probe: CapabilityProbe, admin: object): object {
  return withSentinel({ admin, ...probe.config })
}

/** Returns true if Caddy refused a configuration because this version does not know a part of it. */
export function isNotUnderstood(errorText: string): boolean {
  return /unknown field|unknown module|module not registered|cannot unmarshal/.test(errorText)
}

/** Reads Caddy's answer to a probe; undefined when it says neither. */
export function readProbe(errorText: string): boolean | undefined {
  if (isNotUnderstood(errorText)) return false
  return isSentinelError(errorText) || errorText.includes('opening log writer') ? true : undefined
}
