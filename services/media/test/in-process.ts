import { createLog, systemTimers, type Log, type Timers } from '@hearth/runtime'
import { createCookieClient, nextAddress, openInProcess, type RequestContent } from '@hearth/testing'
import { listenAt } from '@hearth/service'
import { readConfig } from '../src/config.ts'
import { csrfCookie } from '../src/accounts/csrf.ts'
import type { Job } from '../src/jobs/schema.ts'
import { openService, type Service } from '../src/open-service.ts'

/** Content of a call. */
export interface CallOptions extends RequestContent {
  /** Leaves the CSRF token out. */
  readonly isBare?: boolean
}

/** A running service with a browser's cookies. */
export interface Media extends AsyncDisposable {
  readonly url: string
  readonly service: Service
  readonly folder: string
  readonly cookies: Map<string, string>
  call(method: string, path: string, options?: CallOptions): Promise<Response>
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the shape is the caller's knowledge
  json<T>(method: string, path: string, options?: CallOptions): Promise<{ status: number; body: T }>
  submit(url: string, more?: Readonly<Record<string, string>>): Promise<Job>
  /** Waits until the job is in one of the states. */
  reach(id: string, ...statuses: Job['status'][]): Promise<Job>
  /** Ends the service and starts it again on the same data. */
  restart(environment?: Readonly<Record<string, string>>): Promise<void>
}

/** Starts the whole service in this process on loopback, with data of its own; every call comes from an address of its own. */
export async function startMedia(
  environment: Readonly<Record<string, string>> = {},
  options: { folder?: string; timers?: Timers; log?: Log } = {},
): Promise<Media> {
  const running = await openInProcess(async (folder, more) => {
    const service = await openService(
      readConfig({ BIND_PORT: '0', DATA_DIR: folder, ...environment, ...more }),
      options.log ?? createLog({ name: 'test', level: process.env['TEST_LOG'] ?? 'silent' }),
      options.timers ?? systemTimers,
    )
    const url = await listenAt(service.app.http, { host: '127.0.0.1', port: 0 })
    return { service, url, close: () => service.close() }
  }, options.folder)
  const client = createCookieClient(() => running.current.url)
  const { cookies } = client

  const call: Media['call'] = async (method, path, { isBare = false, ...content } = {}) => {
    const isProtected = method !== 'GET' && !isBare
    if (isProtected && !cookies.has(csrfCookie)) await call('GET', '/api/session')
    const token = isProtected ? { 'x-csrf-token': cookies.get(csrfCookie) ?? '' } : {}
    const headers = { 'x-forwarded-for': nextAddress(), ...token, ...content.headers }
    return client.fetch(method, path, { ...content, headers })
  }
  const json: Media['json'] = async (method, path, more) => {
    const response = await call(method, path, more)
    return { status: response.status, body: (await response.json()) as never }
  }
  return {
    get url() {
      return running.current.url
    },
    get service() {
      return running.current.service
    },
    folder: running.folder,
    cookies,
    call,
    json,
    async submit(address, more = {}) {
      const { status, body } = await json<Job>('POST', '/api/submit', {
        form: { url: address, type: 'audio', quality: 'max', ...more },
      })
      if (status !== 200) throw new Error(`submit: ${status} ${JSON.stringify(body)}`)
      return body
    },
    async reach(id, ...statuses) {
      const end = Date.now() + 60_000
      for (;;) {
        const { status, body } = await json<Job>('GET', `/api/jobs/${id}`)
        if (status !== 200) throw new Error(`job ${id}: ${status} ${JSON.stringify(body)}`)
        if (statuses.includes(body.status)) return body
        const isStuck = ['error', 'cancelled', 'done', 'analysis_done'].includes(body.status)
        if (isStuck || Date.now() > end) throw new Error(`the job is ${body.status}: ${body.message}`)
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    },
    restart: (more) => running.restart(more),
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  }
}

/** The environment in which a test platform counts as one of the four. */
export const knows = (host: string): Record<string, string> => ({
  EXTRA_PLATFORM_HOSTS: `youtube=${host}`,
  OUTBOUND_ALLOW: host,
})
