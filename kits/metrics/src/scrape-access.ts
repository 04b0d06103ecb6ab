import { isIP } from 'node:net'
import { isSameSecret } from '@hearth/credentials'
import {
  addressGroup,
  allowanceHeaders,
  createAddressSet,
  createBudget,
  HttpError,
  plainAddress,
  type GuardedRequest,
} from '@hearth/http'
import type { Clock } from '@hearth/runtime'
import type { MetricsConfig } from './settings.ts'

/** Refused scrapes that one address may make in a minute before it has to wait. */
const maxRefusals = 10

/** Headers by which a proxy says that it forwards a request. */
const forwardingHeaders = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

const loopback = createAddressSet(['127.0.0.0/8', '::1'])

/** Checks who may scrape; throws an `HttpError` to refuse. */
export type CheckScrape = (guarded: GuardedRequest) => undefined

/**
 * Creates the check of the metrics' route: a caller with the token, or one that connects over loopback itself. A request that
 * a proxy forwarded, or that comes from a trusted proxy's address, does not count as loopback; neither does one by a host name
 * that is not `localhost`, because a web page could have sent it. Wrong attempts are limited for each address; the right
 * token is let in even then.
 */
export function createScrapeCheck(
  { token, isListedProxy, forwardedHeader }: MetricsConfig['metrics'],
  clock: Clock,
): CheckScrape {
  const refusals = createBudget({ limit: maxRefusals, windowSeconds: 60, clock })
  const headers = [...forwardingHeaders, forwardedHeader]

  function isDirectLoopback({ request }: GuardedRequest): boolean {
    const peer = plainAddress(request.raw.socket.remoteAddress ?? '')
    if (!loopback.has(peer) || isListedProxy(peer)) return false
    return !headers.some((name) => request.headers[name] !== undefined) && isLocalName(request.hostname)
  }

  return (guarded) => {
    const { request, reply, client } = guarded
    if (token !== undefined && isBearer(request.headers.authorization, token)) return undefined
    if (isDirectLoopback(guarded)) return undefined
    const allowance = refusals.take(addressGroup(client.address))
    if (allowance.allowed) throw new HttpError({ kind: 'unauthenticated' })
    reply.headers(allowanceHeaders(allowance, clock.now()))
    throw new HttpError({ kind: 'rate-limited', ...allowance })
  }
}

/** True for an IP address and for `localhost`, which DNS cannot point elsewhere. */
const isLocalName = (host: string): boolean => isIP(host.replace(/^\[|\]$/g, '')) !== 0 || host === 'localhost'

function isBearer(header: string | undefined, token: string): boolean {
  const given = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1]
  return given !== undefined && isSameSecret(given, token)
}
