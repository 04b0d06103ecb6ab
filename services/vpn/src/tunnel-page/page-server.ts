import { addressGroup, createBudget } from '@hearth/http'
import type { Clock, Log } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { canonicalIpv6 } from '../interfaces/subnet.ts'
import { isExpired } from '../peers/followed-peer.ts'
import { Problem } from '../problems.ts'
import type { Tables } from '../tables.ts'
import type { DeviceView } from './device-view.ts'
import { htmlAnswer, refusalAnswer, styleAnswer } from './page-answers.ts'
import type { AnswerPage, PagePlace } from './page-listeners.ts'
import { type PageAnswer, type PageRequest, Refused } from './page-request.ts'
import { doneWords, renderDevice } from './page-text.ts'
import { checkHost, checkOrigin, readForm } from './request-checks.ts'
import { findPeerAt } from './store.ts'

/** The peer that asks, known by the source address of its connection alone. */
export interface AskingPeer {
  readonly id: string
  readonly name: string
}

/** Dependencies of the page's answers. */
export interface PageServerDependencies {
  readonly db: Kysely<Tables>
  readonly clock: Clock
  readonly log: Pick<Log, 'error'>
  /** Hosts that a request to the page of an interface may name. */
  readonly hosts: (name: string) => Promise<readonly string[]>
  readonly view: (peer: AskingPeer) => Promise<DeviceView>
  /** What the forms of the page do, by their paths; returns what the page says then. Throws a `Problem` for the person. */
  readonly actions: Readonly<
    Record<string, (peer: AskingPeer, form: URLSearchParams) => Promise<keyof typeof doneWords>>
  >
}

/** Requests of one peer a minute: pages, as many style sheets, and forms. Of an address without a peer as many as forms. */
const perMinute = { read: 120, write: 10 } as const

/** Creates what answers the requests of the page inside the tunnel. */
export function createPageServer(dependencies: PageServerDependencies): AnswerPage {
  const { clock, log } = dependencies
  const budgetOf = (limit: number) => createBudget({ limit, windowSeconds: 60, capacity: 20_000, clock })
  const budgets = {
    read: budgetOf(perMinute.read),
    style: budgetOf(perMinute.read),
    write: budgetOf(perMinute.write),
    unknown: budgetOf(perMinute.write),
  }
  const count = (budget: keyof typeof budgets, key: string) => {
    const { allowed, retryAfterSeconds } = budgets[budget].take(key)
    if (!allowed)
      throw new Refused(429, `Too many requests. Try again in ${retryAfterSeconds} seconds.`, retryAfterSeconds)
  }

  async function peerAt(place: PagePlace, from: string): Promise<AskingPeer> {
    const address = from.includes(':') ? canonicalIpv6(from) : from
    const peer = await findPeerAt(dependencies.db, { interface: place.interface, address })
    if (peer === undefined || peer.enabled !== 1 || isExpired(peer.expires_at, clock.now())) {
      count('unknown', addressGroup(from))
      throw new Refused(
        403,
        `This device is not known: ${from} is not the tunnel address of a device. Open this page on the device itself, with its VPN connected.`,
      )
    }
    return { id: peer.id, name: peer.name }
  }

  async function answer(request: PageRequest, { place, from }: Ends): Promise<PageAnswer> {
    const host = checkHost(request, await dependencies.hosts(place.interface), place.port)
    const url = URL.parse(request.url, 'http://page')
    if (url === null) throw new Refused(400, 'This address cannot be read.')
    const { pathname, searchParams } = url
    // The page that says that a device is not known has it too.
    if (request.method === 'GET' && pathname === '/page.css') {
      count('style', from)
      return styleAnswer()
    }
    const peer = await peerAt(place, from)
    if (request.method === 'POST') {
      checkOrigin(request, host)
      count('write', peer.id)
      return act(dependencies, { request, pathname, peer })
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') throw new Refused(405, 'This cannot be done here.')
    count('read', peer.id)
    if (pathname === '/favicon.ico') return htmlAnswer(204, '')
    if (pathname !== '/') throw new Refused(404, 'There is no such page.')
    const done = searchParams.get('done') ?? ''
    const message = Object.hasOwn(doneWords, done) ? doneWords[done as keyof typeof doneWords] : undefined
    return htmlAnswer(200, renderDevice(await dependencies.view(peer), { message }))
  }

  return async (request, ends) => {
    try {
      return await answer(request, ends)
    } catch (error) {
      if (error instanceof Refused) return refusalAnswer(error)
      log.error({ err: error }, 'the page inside the tunnel failed')
      return refusalAnswer(new Refused(500, 'Something went wrong here. Try again later.'))
    }
  }
}

type Ends = Parameters<AnswerPage>[1]

/** Does what a form says. */
async function act(
  { actions, view }: PageServerDependencies,
  { request, pathname, peer }: { request: PageRequest; pathname: string; peer: AskingPeer },
): Promise<PageAnswer> {
  const action = Object.hasOwn(actions, pathname) ? actions[pathname] : undefined
  if (action === undefined) throw new Refused(404, 'There is no such page.')
  const form = await readForm(request)
  try {
    return htmlAnswer(303, '', { location: `/?done=${await action(peer, form)}` })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return htmlAnswer(422, renderDevice(await view(peer), { problem: problemText(error), form }))
  }
}

/** What a problem says to a person: without the name of the member that it is about. */
function problemText({ message, details }: Problem): string {
  const [field] = (details?.['fields'] as { path: string; message: string }[] | undefined) ?? []
  if (field === undefined) return `${message}.`
  return field.path === 'domain' && field.message.startsWith('must')
    ? `The name ${field.message}.`
    : `${field.message}.`
}
