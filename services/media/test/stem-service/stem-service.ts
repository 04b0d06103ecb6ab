import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemTimers, type Timers } from '@hearth/runtime'
import { deliverResult } from './deliver-result.ts'
import { endpoints, type AcceptedCall } from './endpoints.ts'
import { ordinaryScript, type Fault, type Script } from './script.ts'
import { Refused, wrongMember, type Account, type Payment, type ServiceState, type Task } from './service-state.ts'

/** One request the service saw, and what it answered; 0 when it broke the connection. */
export interface SeenCall {
  readonly method: string
  readonly path: string
  readonly key: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly json: unknown
  status: number
  /** By the service's clock. */
  readonly at: number
  /** True when the client went away before the end of the answer. */
  isBrokenOff: boolean
}

/** The separation service on a loopback port, as its document describes it, with everything that can go wrong at hand. */
export interface StemService extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`, for STEMSVC_BASE_URL. */
  readonly url: string
  /** May be changed at any time. */
  readonly script: Script
  readonly calls: readonly SeenCall[]
  /** Everything that was charged. */
  readonly payments: readonly Payment[]
  readonly tasks: readonly Task[]
  /** Number of uploaded files. */
  readonly sourceCount: number
  /** A key and its account; may be changed at any time. */
  account(key: string): Account
  removeAccount(key: string): void
  /** Sets what happens to the next call of a path, such as `split/stem_separator`; several wait their turn. */
  fail(path: string, ...faults: readonly Fault[]): void
  /** As if 24 hours had passed for what was uploaded. */
  expireSources(): void
  forgetTasks(): void
  close(): Promise<void>
}

export async function startStemService(options: { readonly timers?: Timers } = {}): Promise<StemService> {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-stem-service-'))
  const state: ServiceState = {
    folder,
    timers: options.timers ?? systemTimers,
    script: ordinaryScript(),
    accounts: new Map(),
    sources: new Map(),
    tasks: new Map(),
    payments: [],
    checks: new Map(),
    url: '',
  }
  const calls: SeenCall[] = []
  /** Tasks that no call finds any more and that may still write into the folder. */
  const forgotten: Task[] = []
  const faults = new Map<string, Fault[]>()
  const server = createServer((request, response) => {
    const call = { ...seenCall(request), at: state.timers.now() }
    calls.push(call)
    response.on('close', () => (call.isBrokenOff = !response.writableFinished))
    response.setHeader('x-request-id', randomUUID().replaceAll('-', ''))
    serve({ state, faults, request, response, call }).catch((error: unknown) => {
      if (error instanceof Refused) answer(response, call, { status: error.status, body: error.body })
      else if (!response.destroyed) answer(response, call, { status: 500, body: { detail: String(error) } })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await Promise.allSettled([...forgotten, ...state.tasks.values()].map((task) => task.results))
    await rm(folder, { recursive: true, force: true })
  }

  return {
    url: state.url,
    script: state.script,
    calls,
    payments: state.payments,
    get tasks() {
      return [...state.tasks.values()]
    },
    get sourceCount() {
      return state.sources.size
    },
    account(key) {
      const account = state.accounts.get(key) ?? { minutes: 0, hasApi: true }
      state.accounts.set(key, account)
      return account
    },
    removeAccount: (key) => void state.accounts.delete(key),
    fail: (path, ...more) => void faults.set(`/api/v1/${path}/`, [...(faults.get(`/api/v1/${path}/`) ?? []), ...more]),
    expireSources: () => state.sources.clear(),
    forgetTasks() {
      forgotten.push(...state.tasks.values())
      state.tasks.clear()
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

function seenCall(request: IncomingMessage) {
  const { method = '', url = '', headers } = request
  const key = headers['x-license-key']
  const seen = { method, path: url, key: typeof key === 'string' ? key : undefined, headers }
  return { ...seen, json: undefined as unknown, status: 0, isBrokenOff: false }
}

interface Serving {
  readonly state: ServiceState
  readonly faults: Map<string, Fault[]>
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly call: SeenCall & { json: unknown }
}

async function serve({ state, faults, request, response, call }: Serving): Promise<void> {
  if (call.path.startsWith('/results/')) {
    await deliverResult(state, call.path, response)
    call.status = response.statusCode
    return
  }
  const endpoint = endpoints[call.path]
  if (endpoint === undefined) throw new Refused(404, 'Not Found')
  if (call.method !== 'POST') throw new Refused(405, 'Method Not Allowed')
  const fault = faults.get(call.path)?.shift()
  if (fault === 'hang') return
  if (typeof fault === 'object' && 'resetAfterBytes' in fault) {
    await resetAfter(request, fault.resetAfterBytes)
    return
  }
  const body = await readBody(state, call.path, request)
  call.json = body.json
  if (typeof fault === 'object' && 'answer' in fault) {
    answer(response, call, { status: fault.answer, body: fault.body ?? '', headers: fault.headers ?? {} })
    return
  }
  if (typeof fault === 'object') await fault.waitFor
  const done = await endpoint(state, { ...accountOf(state, call.key), headers: call.headers, ...body })
  if (fault === 'lose-answer') request.socket.resetAndDestroy()
  else answer(response, call, { status: 200, body: done })
}

async function resetAfter(request: IncomingMessage, bytes: number): Promise<void> {
  const { socket } = request
  let seen = 0
  while (seen < bytes) {
    const chunk = request.read() as Buffer | null
    if (chunk === null) await once(request, 'readable')
    else seen += chunk.length
  }
  socket.resetAndDestroy()
}

function accountOf(state: ServiceState, key: string | undefined): Pick<AcceptedCall, 'key' | 'account'> {
  const account = key === undefined ? undefined : state.accounts.get(key)
  if (key === undefined || account === undefined) throw new Refused(403, 'Provide a license key.')
  if (!account.hasApi) throw new Refused(400, 'The API is not part of your plan.')
  return { key, account }
}

async function readBody(
  state: ServiceState,
  path: string,
  request: IncomingMessage,
): Promise<Pick<AcceptedCall, 'json' | 'upload'>> {
  if (path === '/api/v1/upload/') {
    const file = join(state.folder, `${randomUUID()}-source`)
    let size = 0
    const target = createWriteStream(file)
    for await (const chunk of request) {
      size += (chunk as Buffer).length
      if (!target.write(chunk)) await new Promise<void>((resolve) => target.once('drain', resolve))
    }
    await new Promise<void>((resolve) => target.end(resolve))
    return { json: undefined, upload: { file, size } }
  }
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  if (chunks.length === 0) return { json: undefined, upload: undefined }
  try {
    return { json: JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>, upload: undefined }
  } catch {
    throw wrongMember(['body', 0], 'JSON decode error', 'json_invalid')
  }
}

interface Answering {
  readonly status: number
  readonly body: unknown
  readonly headers?: Record<string, string>
}

function answer(response: ServerResponse, call: SeenCall, { status, body, headers = {} }: Answering): void {
  call.status = status
  const isText = typeof body === 'string'
  response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json', ...headers })
  response.end(isText ? body : JSON.stringify(body))
}
