import { createBudget } from '@hearth/http'
import type { Log, Timers } from '@hearth/runtime'
import { linkPaths, type PageQuery, PageQueryAnswer } from '../nodes/link-schema.ts'
import { refusalAnswer, styleAnswer } from '../tunnel-page/page-answers.ts'
import { type AnswerPage, PageListeners } from '../tunnel-page/page-listeners.ts'
import { Refused } from '../tunnel-page/page-request.ts'
import { type ControlLink, ControlRefused } from './control-link.ts'

export interface PageRelayDependencies {
  /** A link of its own, so that pages do not wait for what else a node sends. */
  readonly link: Pick<ControlLink, 'send'>
  readonly timers: Pick<Timers, 'now' | 'monotonic'>
  readonly log: Pick<Log, 'warn'>
}

/** Requests of one address a minute that are sent on; the service has limits of its own. */
const perMinute = 240

const isAway = 'This page cannot be shown now, because its server is away. Your connection and your filter go on.'

/** Creates what listens for peers of this node, and has the service answer them for the address that they come from. */
export function createPageRelay({ link, timers, log }: PageRelayDependencies): PageListeners {
  const budget = createBudget({ limit: perMinute, windowSeconds: 60, capacity: 20_000, clock: timers })
  const answer: AnswerPage = async (request, { place, from }) => {
    const { method, url, hosts, origin, site, contentType } = request
    if (method === 'GET' && url === '/page.css') return styleAnswer()
    try {
      const { allowed, retryAfterSeconds } = budget.take(from)
      if (!allowed)
        throw new Refused(429, `Too many requests. Try again in ${retryAfterSeconds} seconds.`, retryAfterSeconds)
      const query: PageQuery = {
        interface: place.interface,
        address: place.address,
        from,
        method,
        url,
        hosts: [...hosts],
        origin,
        site,
        content_type: contentType,
        body: method === 'POST' ? await request.body() : '',
      }
      return await link.send(linkPaths.page, query, { answer: PageQueryAnswer })
    } catch (error) {
      if (error instanceof Refused) return refusalAnswer(error)
      const isRefused = error instanceof ControlRefused && error.status < 500 && error.status !== 401
      if (isRefused) return refusalAnswer(new Refused(400, 'This request cannot be answered.'))
      log.warn(`the service does not answer for the page inside the tunnel: ${(error as Error).message}`)
      return refusalAnswer(new Refused(503, isAway))
    }
  }
  return new PageListeners(answer)
}
