import type { RequestListener } from 'node:http'
import type { Log } from '@hearth/runtime'
import { statusPageHeader } from '../../caddy/status-routes.ts'
import { statusPolicy, unavailableStatusHtml, unknownStatusHtml } from './status-html.ts'
import type { StatusPages } from './status-pages.ts'

/** Creates the answers to visitors of sites of kind status. Caddy names the page; only a public one is shown, at `/` alone. */
export function createStatusListener(pages: Pick<StatusPages, 'show'>, log: Log): RequestListener {
  return (request, response) => {
    const { method = '', url = '', headers } = request
    const slug = headers[statusPageHeader.toLowerCase()]
    const isPage = url.split('?')[0] === '/' && typeof slug === 'string'
    const answer = (status: number, html: string, more: Readonly<Record<string, string>> = {}) => {
      response.writeHead(status, {
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': statusPolicy,
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff',
        'Referrer-Policy': 'no-referrer',
        ...more,
      })
      response.end(method === 'HEAD' ? undefined : html)
    }
    request.resume()
    if (method !== 'GET' && method !== 'HEAD') return answer(405, unknownStatusHtml(), { Allow: 'GET, HEAD' })
    const shown = isPage ? pages.show(slug, false) : Promise.resolve(undefined)
    shown.then(
      (html) => (html === undefined ? answer(404, unknownStatusHtml()) : answer(200, html)),
      (error: unknown) => {
        log.error({ err: error }, 'a status page could not be shown')
        answer(503, unavailableStatusHtml(), { 'Retry-After': '10' })
      },
    )
  }
}
