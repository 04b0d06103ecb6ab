import type { PageAnswer, Refused } from './page-request.ts'
import { renderMessage, stylesheet } from './page-text.ts'

const shared = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // With no-referrer a browser would not say where a form comes from.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const

/** An answer with a page. */
export const htmlAnswer = (status: number, text: string, more: Readonly<Record<string, string>> = {}): PageAnswer => {
  const type = status === 204 ? {} : { 'content-type': 'text/html; charset=utf-8' }
  return { status, text, headers: { ...shared, ...type, ...more } }
}

/** The style sheet of all pages. */
export const styleAnswer = (): PageAnswer => htmlAnswer(200, stylesheet, { 'content-type': 'text/css; charset=utf-8' })

/** A page that says why a request was refused. */
export const refusalAnswer = ({ status, message, retryAfter }: Refused): PageAnswer =>
  htmlAnswer(status, renderMessage(message), retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) })
