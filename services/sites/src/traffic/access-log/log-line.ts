import { parseJson } from '@hearth/runtime'

/** One request as the access log has it. Host, method, path and client come from visitors: they are text and nothing else. */
export interface LogLine {
  /** Time when it was answered, milliseconds. */
  readonly at: number
  /** The site whose logger wrote it, where loggers are named after sites. */
  readonly siteId: number | undefined
  /** Lower case, without port. */
  readonly host: string
  readonly method: string
  /** Without query. */
  readonly path: string
  readonly status: number
  readonly bytes: number
  readonly durationMs: number
  readonly client: string
  /** True if it is a check by this service, from this machine, and no visit. */
  readonly isProbe: boolean
}

/** The members of a log line that are read; they may hold anything. */
interface RawLine {
  readonly ts?: unknown
  readonly logger?: unknown
  readonly status?: unknown
  readonly size?: unknown
  readonly duration?: unknown
  readonly request?: {
    readonly host?: unknown
    readonly method?: unknown
    readonly uri?: unknown
    readonly client_ip?: unknown
    readonly remote_ip?: unknown
    readonly headers?: { readonly 'User-Agent'?: unknown } | null
  } | null
}

const maxPath = 256

/**
 * Reads a line of Caddy's JSON access log. Headers and query strings are not taken over, so no cookie, password or token
 * gets further than this. Undefined for what is no such line.
 */
export function parseLogLine(text: string): LogLine | undefined {
  const raw = text.startsWith('{') ? (parseJson(text) as RawLine | undefined) : undefined
  const request = raw?.request
  if (raw === undefined || typeof request !== 'object' || request === null) return undefined
  const { ts, status } = raw
  if (typeof ts !== 'number' || typeof status !== 'number' || !Number.isFinite(ts)) return undefined
  const client = textOf(request.client_ip ?? request.remote_ip, 64)
  return {
    at: Math.round(ts * 1000),
    siteId: siteOfLogger(raw.logger),
    host: hostOf(textOf(request.host, 300)),
    method: textOf(request.method, 16),
    path: pathOf(request.uri),
    status: Math.trunc(status),
    bytes: amountOf(raw.size),
    durationMs: amountOf(raw.duration) * 1000,
    client,
    isProbe: isLoopback(client) && isProbeAgent(request.headers?.['User-Agent']),
  }
}

const isLoopback = (address: string): boolean => address.startsWith('127.') || address === '::1'

/** As `deploy/apply-node.ts` and the grader call themselves. */
const isProbeAgent = (header: unknown): boolean => {
  const agent: unknown = Array.isArray(header) ? header[0] : header
  return agent === 'Hearth check' || agent === 'Hearth certificate check'
}

function siteOfLogger(logger: unknown): number | undefined {
  const id = typeof logger === 'string' ? /^http\.log\.access\.site-(\d{1,9})$/.exec(logger)?.[1] : undefined
  return id === undefined ? undefined : Number(id)
}

// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

/** Terminals and lists stay as they are, whatever the request holds. */
const textOf = (value: unknown, longest: number): string =>
  typeof value === 'string' ? value.slice(0, longest).replaceAll(controls, '\ufffd') : ''

const amountOf = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0

/** `/a/b` of `/a/b?c`, and of `http://host/a/b`, as it stands in requests to proxies. */
function pathOf(uri: unknown): string {
  const text = typeof uri === 'string' ? uri : ''
  const path = /^[^?#]*/.exec(text.replace(/^https?:\/\/[^/?#]*/i, ''))?.[0] ?? ''
  return textOf(path === '' ? '/' : path, maxPath)
}

function hostOf(host: string): string {
  const name = host.startsWith('[') ? host.slice(1).replace(/\](?::\d+)?$/, '') : host.replace(/:\d+$/, '')
  return name.toLowerCase().replace(/\.$/, '')
}
