import type { IncomingMessage, ServerResponse } from 'node:http'
import { addressGroup, createBudget } from '@hearth/http'
import type { Clock, Log } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { canonicalIpv6 } from '../interfaces/subnet.ts'
import { isExpired } from '../peers/followed-peer.ts'
import { Problem } from '../problems.ts'
import type { Tables } from '../tables.ts'
import type { DeviceView } from './device-view.ts'
import type { AnswerPage, PagePlace } from './page-listeners.ts'
import { doneWords, renderDevice, renderMessage, stylesheet } from './page-text.ts'
import { checkHost, checkOrigin, readForm, Refused } from './request-checks.ts'
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

const headers = {
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

  async function answer(request: IncomingMessage, response: ServerResponse, { place, from }: Ends): Promise<void> {
    const host = checkHost(request, await dependencies.hosts(place.interface), place.port)
    const url = URL.parse(request.url ?? '/', 'http://page')
    if (url === null) throw new Refused(400, 'This address cannot be read.')
    const { pathname, searchParams } = url
    // The page that says that a device is not known has it too.
    if (request.method === 'GET' && pathname === '/page.css') {
      count('style', from)
      return send(response, { status: 200, text: stylesheet, type: 'text/css' })
    }
    const peer = await peerAt(place, from)
    if (request.method === 'POST') {
      checkOrigin(request, host)
      count('write', peer.id)
      return send(response, await act(dependencies, { request, pathname, peer }))
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') throw new Refused(405, 'This cannot be done here.')
    count('read', peer.id)
    if (pathname === '/favicon.ico') return void response.writeHead(204, headers).end()
    if (pathname !== '/') throw new Refused(404, 'There is no such page.')
    const done = searchParams.get('done') ?? ''
    const message = Object.hasOwn(doneWords, done) ? doneWords[done as keyof typeof doneWords] : undefined
    send(response, { status: 200, text: renderDevice(await dependencies.view(peer), { message }) })
  }

  return async (request, response, ends) => {
    try {
      await answer(request, response, ends)
    } catch (error) {
      if (!(error instanceof Refused)) log.error({ err: error }, 'the page inside the tunnel failed')
      refuse(request, response, error instanceof Refused ? error : new Refused(500, failed))
    }
  }
}

type Ends = Parameters<AnswerPage>[2]

/** An answer of the page; `location` leads to another page. */
interface PageAnswer {
  readonly status: number
  readonly text: string
  readonly type?: string
  readonly location?: string
}

/** Does what a form says. */
async function act(
  { actions, view }: PageServerDependencies,
  { request, pathname, peer }: { request: IncomingMessage; pathname: string; peer: AskingPeer },
): Promise<PageAnswer> {
  const action = Object.hasOwn(actions, pathname) ? actions[pathname] : undefined
  if (action === undefined) throw new Refused(404, 'There is no such page.')
  const form = await readForm(request)
  try {
    return { status: 303, text: '', location: `/?done=${await action(peer, form)}` }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { status: 422, text: renderDevice(await view(peer), { problem: problemText(error), form }) }
  }
}

const failed = 'Something went wrong here. Try again later.'

function refuse(request: IncomingMessage, response: ServerResponse, { status, message, retryAfter }: Refused): void {
  if (response.headersSent || response.destroyed) return void response.destroy()
  if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter)
  // What was not read of the request is not waited for.
  if (!request.complete) response.setHeader('connection', 'close')
  send(response, { status, text: renderMessage(message) })
}

function send(response: ServerResponse, { status, text, type = 'text/html', location }: PageAnswer): void {
  const content = Buffer.from(text)
  const more = location === undefined ? {} : { location }
  const about = { 'content-type': `${type}; charset=utf-8`, 'content-length': content.length }
  response.writeHead(status, { ...headers, ...about, ...more })
  // Node leaves the content out of an answer to HEAD.
  response.end(content)
}

/** What a problem says to a person: without the name of the member that it is about. */
function problemText({ message, details }: Problem): string {
  const [field] = (details?.['fields'] as { path: string; message: string }[] | undefined) ?? []
  if (field === undefined) return `${message}.`
  return field.path === 'domain' && field.message.startsWith('must')
    ? `The name ${field.message}.`
    : `${field.message}.`
}
