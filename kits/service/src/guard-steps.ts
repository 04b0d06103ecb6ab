import { isCsrfToken } from '@hearth/credentials'
import { allowanceHeaders, HttpError, type Allowance, type GuardedRequest } from '@hearth/http'

/** True for a method that changes nothing. */
export function isRead({ request }: Pick<GuardedRequest, 'request'>): boolean {
  return request.method === 'GET' || request.method === 'HEAD' || request.method === 'OPTIONS'
}

/** Sets the rate limit headers, and refuses the request when the budget is used up. */
export function checkAllowance({ reply }: Pick<GuardedRequest, 'reply'>, allowance: Allowance, now: number): void {
  reply.headers(allowanceHeaders(allowance, now))
  if (!allowance.allowed) throw new HttpError({ kind: 'rate-limited', ...allowance })
}

/** True when the browser's headers say that a page of another site sent the request. Other clients send no such headers. */
export function isCrossSite({ request }: Pick<GuardedRequest, 'request'>): boolean {
  return request.headers['sec-fetch-site'] === 'cross-site'
}

/** True when the header `X-CSRF-Token` holds the token of this session. */
export function hasCsrfToken({ request }: Pick<GuardedRequest, 'request'>, sessionKey: string): boolean {
  const token = request.headers['x-csrf-token']
  return typeof token === 'string' && isCsrfToken(token, sessionKey)
}
