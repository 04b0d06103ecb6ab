import { STATUS_CODES } from 'node:http'
import { isIPv6 } from 'node:net'
import { readStatusRanges, type SiteCheck } from '../../sites/check-schema.ts'
import type { CheckFailure } from '../schema.ts'
import { requestSite, type CertificateVerdict, type SiteAnswer, type SiteRequest } from './request-site.ts'

/** A site to check. */
export interface SiteTarget {
  readonly host: string
  /** Names of the site, to which redirects may lead; wildcards as they are. */
  readonly domains: readonly string[]
  readonly isTls: boolean
  /** True when the certificate must be trusted by this machine, and not only be in date and of the name. */
  readonly needsTrust: boolean
  /** True when visitors show a certificate, which the check has none of. */
  readonly isHandshake: boolean
  /** True if not everyone reaches the site, and this machine may not. */
  readonly isLimited: boolean
  readonly settings: SiteCheck
}

/** Where a Caddy server takes connections. */
export interface CaddyEndpoint {
  readonly address: string
  readonly httpPort: number
  readonly httpsPort: number
  /** Name of the server where there are several. */
  readonly name?: string
}

/** Where and how it is checked. */
export interface CheckContext {
  /** Undefined while there is no Caddy. */
  readonly endpoint: CaddyEndpoint | undefined
  readonly now: number
  /** Says which upstreams of the site are down; empty for none. */
  readonly upstreamNote: string
  /** True if the site has upstreams, and none of them accepts connections. */
  readonly areUpstreamsDown: boolean
  readonly signal?: AbortSignal | undefined
}

/** Result of a check. */
export interface CheckOutcome {
  readonly latencyMs: number | undefined
  readonly cameBack: string
  /** Undefined for a good check. */
  readonly failure: CheckFailure | undefined
}

/** Most redirects that are followed. */
const maxRedirects = 5

/** Describes the request of a check, such as `GET https://wiki.example.org/ from the Caddy at 127.0.0.1:443`. */
export function askedText(target: SiteTarget, { endpoint }: Pick<CheckContext, 'endpoint'>): string {
  const host = isIPv6(target.host) ? `[${target.host}]` : target.host
  const url = `${target.isTls ? 'https' : 'http'}://${host}${target.settings.path}`
  const what = target.isHandshake ? `A TLS handshake for ${url}` : `GET ${url}`
  if (endpoint === undefined) return what
  const server = endpoint.name === undefined ? 'Caddy' : `the Caddy server ${endpoint.name}`
  return `${what} from ${server} at ${endpoint.address}:${target.isTls ? endpoint.httpsPort : endpoint.httpPort}`
}

/** Checks a site through Caddy. Connects to Caddy alone, whatever the site answers. Never rejects. */
export async function checkSite(target: SiteTarget, context: CheckContext): Promise<CheckOutcome> {
  const asked = askedText(target, context)
  const fail = (kind: CheckFailure['kind'], cameBack: string, advice: string): CheckOutcome => ({
    latencyMs: undefined,
    cameBack,
    failure: { kind, asked, came_back: cameBack, advice },
  })
  const { endpoint } = context
  if (endpoint === undefined) return fail('caddy', 'There is no Caddy.', 'Start Caddy, or connect one under Servers.')
  const answer = await follow(target, { ...context, endpoint })
  if (answer.kind === 'timeout')
    return fail(
      'timeout',
      `No ${stageWords[answer.stage]} within ${target.settings.timeout_seconds} s.${note(context)}`,
      'Check whether the upstream hangs, or give the check more time.',
    )
  if (answer.kind === 'failed') return failedRequest(answer, fail)
  const certificate = certificateFailure(target, answer.certificate)
  if (certificate !== undefined) return fail('certificate', ...certificate)
  if (target.isLimited && answer.isRefused) return refusedCheck(context, fail)
  const { status, latencyMs } = answer
  const took = `after ${latencyMs} ms`
  if (status === undefined) return { latencyMs, cameBack: `The handshake succeeded ${took}.`, failure: undefined }
  const words = `${status} ${STATUS_CODES[status] ?? ''}`.trim()
  if (!isExpected(status, target.settings))
    return fail('status', `${words} ${took}.${note(context)}`, statusAdvice(status))
  if (answer.hasText === false)
    return fail('text', `${words} ${took}, without the expected text.`, 'Check the page, or change the expected text.')
  return { latencyMs, cameBack: `${words} ${took}.`, failure: undefined }
}

/** This machine is outside of what reaches the site: Caddy answers, and the upstreams are checked by themselves. */
function refusedCheck({ areUpstreamsDown, upstreamNote }: CheckContext, fail: Fail): CheckOutcome {
  const words = 'Caddy answers. The site is not for this machine, so its upstreams are checked directly'
  if (areUpstreamsDown)
    return fail(
      'upstream',
      `${words}. ${upstreamNote}`,
      'Start the program there, or change the address of the upstream.',
    )
  return {
    latencyMs: undefined,
    cameBack: `${words}.${upstreamNote === '' ? '' : ` ${upstreamNote}`}`,
    failure: undefined,
  }
}

const stageWords = { connection: 'connection', tls: 'TLS handshake', answer: 'answer' } as const

const note = ({ upstreamNote }: CheckContext): string => (upstreamNote === '' ? '' : ` ${upstreamNote}`)

async function follow(
  target: SiteTarget,
  context: CheckContext & { endpoint: NonNullable<CheckContext['endpoint']> },
): Promise<SiteAnswer> {
  const { endpoint, now, signal } = context
  const { settings } = target
  const deadline = performance.now() + settings.timeout_seconds * 1000
  let { isTls, host } = target
  let { path } = settings
  for (let left = settings.follow_redirects ? maxRedirects : 0; ; left -= 1) {
    const request: SiteRequest = {
      address: endpoint.address,
      port: isTls ? endpoint.httpsPort : endpoint.httpPort,
      isTls,
      host,
      path,
      timeoutMs: Math.max(1, deadline - performance.now()),
      text: settings.expected_text,
      isHandshake: target.isHandshake,
      now,
      signal,
    }
    const answer = await requestSite(request)
    const next = answer.kind === 'answered' && left > 0 ? nextAddress(request, answer, target.domains) : undefined
    if (next === undefined) return answer
    ;({ isTls, host, path } = next)
  }
}

/** The address of a redirect within the names of the site; undefined for every other answer. */
function nextAddress(
  { isTls, host, path }: SiteRequest,
  { status = 0, location }: SiteAnswer & { kind: 'answered' },
  domains: readonly string[],
): Pick<SiteRequest, 'isTls' | 'host' | 'path'> | undefined {
  if (status < 300 || status > 399 || status === 304 || location === undefined) return undefined
  const base = `${isTls ? 'https' : 'http'}://${isIPv6(host) ? `[${host}]` : host}${path}`
  if (!URL.canParse(location, base)) return undefined
  const url = new URL(location, base)
  const name = url.hostname.replace(/^\[|\]$/g, '')
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined
  if (!domains.some((domain) => covers(domain, name))) return undefined
  return { isTls: url.protocol === 'https:', host: name, path: `${url.pathname}${url.search}` }
}

const covers = (domain: string, name: string): boolean =>
  domain === name || (domain.startsWith('*.') && name.slice(name.indexOf('.')) === domain.slice(1))

function isExpected(status: number, { expected_status: expected }: SiteCheck): boolean {
  return (readStatusRanges(expected) ?? []).some(([first, last]) => status >= first && status <= last)
}

function statusAdvice(status: number): string {
  if (status === 502 || status === 504) return 'Check whether the program behind the site runs, and its address.'
  if (status === 503) return 'The program behind the site says it is not ready. Look into its log.'
  if (status >= 500) return 'The program behind the site reports an error of its own. Look into its log.'
  return 'Request another path, or add the status to the expected ones.'
}

type Fail = (kind: CheckFailure['kind'], cameBack: string, advice: string) => CheckOutcome

function failedRequest({ stage, code }: SiteAnswer & { kind: 'failed' }, fail: Fail): CheckOutcome {
  if (stage === 'connection')
    return fail('caddy', `Nobody listens there (${code}).`, 'Check whether Caddy runs, and at which ports.')
  if (stage === 'tls')
    return fail(
      'tls',
      `Caddy refused the TLS handshake (${code}).`,
      'Caddy has no certificate for the name yet. See Certificates for the reason.',
    )
  return fail('closed', `The connection was closed before an answer (${code}).`, 'Look into the log of Caddy.')
}

function certificateFailure(
  { settings, needsTrust }: SiteTarget,
  verdict: CertificateVerdict | undefined,
): [cameBack: string, advice: string] | undefined {
  if (!settings.verify_tls || verdict?.problem === undefined) return undefined
  const { problem, detail } = verdict
  switch (problem) {
    case 'expired':
      return [`The certificate expired on ${detail}.`, 'See Certificates for why it was not renewed.']
    case 'not-yet-valid':
      return [`The certificate is valid from ${detail} on.`, 'Check the clock of this machine.']
    case 'other-name':
      return [`The certificate is for other names: ${detail.slice(0, 200)}.`, 'Choose a certificate for this name.']
    case 'untrusted':
      return needsTrust
        ? [`The certificate is not trusted (${detail}).`, 'See Certificates for who issued it.']
        : undefined
  }
}
