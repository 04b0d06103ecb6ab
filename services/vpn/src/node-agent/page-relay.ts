import { createBudget } from '@hearth/http'
import type { Log, Timers } from '@hearth/runtime'
import { linkPaths, type PageQuery, PageQueryAnswer } from '../nodes/link-schema.ts'
import { refusalAnswer, styleAnswer } from '../tunnel-page/page-answers.ts'
import { type AnswerPage, PageListeners } from '../tunnel-page/page-listeners.ts'
import { type PageAnswer, type PageRequest, Refused } from '../tunnel-page/page-request.ts'
import { type ControlLink, ControlRefused } from './control-link.ts'

export interface PageRelayDependencies {
  /** A link of its own, so that pages do not wait for what else a node sends. */
  readonly link: Pick<ControlLink, 'send'>
  readonly timers: Pick<Timers, 'now' | 'monotonic'>
  readonly log: Pick<Log, 'warn'>
  /** True for a tunnel address of a peer of an interface, false for addresses in networks behind peers. */
  readonly isPeer: (name: string, address: string) => boolean
}

/**
 * Requests a minute that are sent on: of each address of a peer, and of all other addresses of an interface together, because one
 * device may have any number of them. The service has limits of its own.
 */
const perMinute = 120

const isAway = 'This page cannot be shown now, because its server is away. Your connection and your filter go on.'

/** Creates what listens for peers of this node, and has the service answer them for the address that they come from. */
export function createPageRelay({ link, timers, log, isPeer }: PageRelayDependencies): PageListeners {
  const budget = createBudget({ limit: perMinute, windowSeconds: 60, capacity: 20_000, clock: timers })
  const ask = createAsking({ link, log })
  const answer: AnswerPage = async (request, { place, from }) => {
    const { method, url, hosts, origin, site, contentType } = request
    if (method === 'GET' && url === '/page.css') return styleAnswer()
    try {
      const { allowed, retryAfterSeconds } = budget.take(isPeer(place.interface, from) ? from : place.interface)
      if (!allowed)
        throw new Refused(429, `Too many requests. Try again in ${retryAfterSeconds} seconds.`, retryAfterSeconds)
      return await ask({
        interface: place.interface,
        address: place.address,
        from,
        method,
        url,
        hosts: [...hosts],
        origin,
        site,
        content_type: contentType,
        body: method === 'POST' ? await bodyOf(request) : '',
      })
    } catch (error) {
      if (error instanceof Refused) return refusalAnswer(error)
      log.warn(`the page inside the tunnel failed: ${(error as Error).message}`)
      return refusalAnswer(new Refused(500, 'Something went wrong here. Try again later.'))
    }
  }
  return new PageListeners(answer)
}

/** Reads a form. Throws `Refused`, also when the browser breaks it off. */
const bodyOf = (request: PageRequest): Promise<string> =>
  request.body().catch((error: unknown) => {
    throw error instanceof Refused ? error : new Refused(400, 'The form was broken off.')
  })

/** Creates what asks the service, and throws `Refused` without an answer. A service that is away is named once. */
function createAsking({ link, log }: Pick<PageRelayDependencies, 'link' | 'log'>) {
  let last: string | undefined
  return async (query: PageQuery): Promise<PageAnswer> => {
    try {
      const answer = await link.send(linkPaths.page, query, { answer: PageQueryAnswer })
      last = undefined
      return answer
    } catch (error) {
      if (error instanceof ControlRefused && error.status === 429)
        throw new Refused(429, 'Too many requests. Try again in a minute.', 60)
      if (error instanceof ControlRefused && error.status < 500 && error.status !== 401)
        throw new Refused(400, 'This request cannot be answered.')
      const { message } = error as Error
      if (message !== last) log.warn(`the service does not answer for the page inside the tunnel: ${message}`)
      last = message
      throw new Refused(503, isAway)
    }
  }
}
