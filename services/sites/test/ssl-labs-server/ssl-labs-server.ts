import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Result of an assessment of the fake. */
export interface FakeResult {
  readonly status: 'READY' | 'ERROR'
  readonly statusMessage?: string
  readonly endpoints?: readonly { grade?: string; gradeTrustIgnored?: string; statusMessage?: string }[]
}

/** Speaks version 4 of SSL Labs' API as its documentation has it, on loopback. */
export interface SslLabsServer extends AsyncDisposable {
  readonly url: string
  /** Addresses that are registered. */
  readonly registered: Set<string>
  /** Queries of `analyze`, in order. */
  readonly asked: URLSearchParams[]
  /** Answers the next calls with these statuses instead. */
  failNext(...statuses: number[]): void
  /** Result and stored report of a host's assessment; READY with an A unless set. */
  readonly results: Map<string, FakeResult>
  /** Assessments that never end. */
  readonly endless: Set<string>
  maxAssessments: number
}

interface Assessment {
  polls: number
  readonly startedAt: number
}

/** DNS, then twice under way, then the result. */
const stages = ['DNS', 'IN_PROGRESS', 'IN_PROGRESS'] as const

export async function startSslLabsServer(): Promise<SslLabsServer> {
  const fake = new Fake()
  const server = createServer((request, response) => void fake.answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return Object.assign(fake, {
    url: `http://127.0.0.1:${port}/api/v4`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  })
}

class Fake {
  readonly registered = new Set<string>()
  readonly asked: URLSearchParams[] = []
  readonly results = new Map<string, FakeResult>()
  readonly endless = new Set<string>()
  maxAssessments = 25
  readonly #failures: number[] = []
  readonly #running = new Map<string, Assessment>()
  readonly #done = new Map<string, FakeResult>()

  failNext(...statuses: number[]): void {
    this.#failures.push(...statuses)
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const send = (status: number, body: unknown) => {
      response.writeHead(status, {
        'content-type': 'application/json',
        'x-max-assessments': String(this.maxAssessments),
        'x-current-assessments': String(this.#running.size),
      })
      response.end(JSON.stringify(body))
    }
    const failure = this.#failures.shift()
    if (failure !== undefined) return send(failure, {})
    const path = url.pathname.replace('/api/v4/', '')
    if (path === 'register')
      return request.method === 'POST' ? this.#register(await bodyOf(request), send) : send(405, {})
    const { email } = request.headers
    if (typeof email !== 'string' || !this.registered.has(email)) return send(441, { message: 'not registered' })
    if (path === 'info') return send(200, this.#info())
    if (path === 'analyze') return this.#analyze(url.searchParams, send)
    send(404, {})
  }

  #register(body: Record<string, unknown>, send: (status: number, body: unknown) => void): void {
    const missing = ['firstName', 'lastName', 'email', 'organization'].filter((name) => typeof body[name] !== 'string')
    if (missing.length > 0) return send(400, { errors: missing.map((field) => ({ field, message: 'is mandatory' })) })
    const email = String(body['email'])
    if (email.endsWith('@gmail.com')) return send(200, { message: 'Free e-mail is not allowed', status: 'failure' })
    this.registered.add(email)
    send(200, { message: 'User successfully registered', status: 'success' })
  }

  #info() {
    return {
      engineVersion: '2.3.0',
      criteriaVersion: '2009q',
      maxAssessments: this.maxAssessments,
      currentAssessments: this.#running.size,
      newAssessmentCoolOff: 1000,
      messages: [],
    }
  }

  #analyze(query: URLSearchParams, send: (status: number, body: unknown) => void): void {
    this.asked.push(query)
    const host = query.get('host')
    if (host === null) return send(400, { errors: [{ field: 'host', message: 'is mandatory' }] })
    const isNew = query.get('startNew') === 'on'
    if (isNew && query.get('fromCache') === 'on')
      return send(400, { errors: [{ field: 'startNew', message: 'cannot be used with fromCache' }] })
    const isCached = query.get('fromCache') === 'on'
    const stored = this.#done.get(host) ?? (isCached ? this.results.get(host) : undefined)
    if (!isNew && stored !== undefined && !this.#running.has(host)) return send(200, { host, ...stored })
    const running = this.#running.get(host) ?? { polls: 0, startedAt: Date.now() }
    if (!this.#running.has(host) && this.#running.size >= this.maxAssessments) return send(429, {})
    this.#running.set(host, running)
    const stage = this.endless.has(host) ? 'IN_PROGRESS' : stages[running.polls]
    running.polls += 1
    if (stage !== undefined) return send(200, { host, status: stage, startTime: running.startedAt })
    this.#running.delete(host)
    const result = this.results.get(host) ?? { status: 'READY', endpoints: [{ grade: 'A', gradeTrustIgnored: 'A' }] }
    this.#done.set(host, result)
    send(200, { host, ...result })
  }
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = ''
  for await (const piece of request) text += String(piece)
  return JSON.parse(text) as Record<string, unknown>
}
