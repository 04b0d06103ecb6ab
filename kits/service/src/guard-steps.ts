import { isCsrfToken } from '@hearth/credentials'
import { allowanceHeaders, HttpError, type Allowance, type GuardedRequest } from '@hearth/http'

/** True for a method that changes nothing. */
export function isRead({ request }: Pick<GuardedRequest, 'request'>): boolean {
  return request.method === 'GET' || request.method === 'HEAD' || request.method === 'OPTIONS'
}

/** Tells the caller what is left of its budget; refuses the request when that is nothing. */
export function checkAllowance({ reply }: Pick<GuardedRequest, 'reply'>, allowance: Allowance, now: number): void {
  reply.headers(allowanceHeaders(allowance, now))
  if (!allowance.allowed) throw new HttpError({ kind: 'rate-limited', ...allowance })
}

/** True when a browser says that a page of another site sent the request. Programs say nothing. */
export function isCrossSite({ request }: Pick<GuardedRequest, 'request'>): boolean {
  return request.headers['sec-fetch-site'] === 'cross-site'
}

/** True when the header `X-CSRF-Token` holds the token of this session. */
export function hasCsrfToken({ request }: Pick<GuardedRequest, 'request'>, sessionKey: string): boolean {
  const token = request.headers['x-csrf-token']
  return typeof token === 'string' && isCsrfToken(token, sessionKey)
}
