import { createLog, systemTimers, type Log, type Timers } from '@hearth/runtime'
import { temporaryDirectory } from '@hearth/testing'
import { listenAt } from '@hearth/service'
import { readConfig } from '../src/config.ts'
import { csrfCookie } from '../src/accounts/csrf.ts'
import type { Job } from '../src/jobs/schema.ts'
import { openService, type Service } from '../src/open-service.ts'

/** What a call sends. */
export interface CallOptions {
  readonly form?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly upload?: Uint8Array | string
  readonly headers?: Readonly<Record<string, string>>
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
  const place = await temporaryDirectory()
  const folder = options.folder ?? place.path
  const cookies = new Map<string, string>()
  let lastCaller = 0
  const open = async (more: Readonly<Record<string, string>>) => {
    const config = readConfig({ BIND_PORT: '0', DATA_DIR: folder, ...environment, ...more })
    const service = await openService(
      config,
      options.log ?? createLog({ name: 'test', level: process.env['TEST_LOG'] ?? 'silent' }),
      options.timers ?? systemTimers,
    )
    return { service, url: await listenAt(service.app.http, { host: '127.0.0.1', port: 0 }) }
  }
  let { service, url } = await open({})

  const call: Media['call'] = async (method, path, { form, json, upload, headers = {}, isBare = false } = {}) => {
    if (method !== 'GET' && !isBare && !cookies.has(csrfCookie)) await call('GET', '/api/session')
    lastCaller += 1
    const body = bodyOf({ form, json, upload })
    const response = await fetch(`${url}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        // One address has only so many requests a minute; the limits have tests of their own.
        'x-forwarded-for': `10.${(lastCaller >> 16) & 255}.${(lastCaller >> 8) & 255}.${lastCaller & 255}`,
        ...(cookies.size === 0 ? {} : { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }),
        ...(method === 'GET' || isBare ? {} : { 'x-csrf-token': cookies.get(csrfCookie) ?? '' }),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '' || /max-age=0|1970/i.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }
  const json: Media['json'] = async (method, path, more) => {
    const response = await call(method, path, more)
    return { status: response.status, body: (await response.json()) as never }
  }
  return {
    get url() {
      return url
    },
    get service() {
      return service
    },
    folder,
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
    async restart(more = {}) {
      await service.close()
      ;({ service, url } = await open(more))
    },
    async [Symbol.asyncDispose]() {
      await service.close()
      await place[Symbol.asyncDispose]()
    },
  }
}

function bodyOf({ form, json, upload }: { [name in 'form' | 'json' | 'upload']: CallOptions[name] | undefined }) {
  if (form !== undefined) return new URLSearchParams(form)
  if (json !== undefined) return JSON.stringify(json)
  if (upload === undefined) return undefined
  const data = new FormData()
  data.set('file', new Blob([upload as never]), 'upload')
  return data
}

/** The environment in which a test platform counts as one of the four. */
export const knows = (host: string): Record<string, string> => ({
  EXTRA_PLATFORM_HOSTS: `youtube=${host}`,
  OUTBOUND_ALLOW: host,
})
