import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A record as the API has it. */
export interface FakeRecord {
  readonly name: string
  readonly type: string
  readonly value: string
}

/** Answer of a fault: a status with headers and a body, or nothing at all. */
export type Fault =
  | 'hang'
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body: string }

/** A server that answers as the API of a Hearth VPN does, for those parts that sites call, with faults on request. */
export interface FakeVpn extends AsyncDisposable {
  readonly url: string
  readonly token: string
  /** Records by what they are, of the one service that is linked. */
  readonly records: Map<string, FakeRecord>
  /** Requests so far, such as `POST /api/dns/managed-records/sites-1 put 3 remove 0`. */
  readonly requests: string[]
  interfaces: unknown
  /** Called before each request is answered; its fault is the answer. */
  onRequest: (line: string) => Fault | undefined | Promise<Fault | undefined>
  /** Called after a change was made and before it is answered. */
  onChanged: () => void | Promise<void>
}

const keyOf = ({ name, type, value }: FakeRecord): string => `${name} ${type} ${value}`

/** Starts the server. */
export async function startFakeVpn(): Promise<FakeVpn> {
  const server = createServer((request, response) => {
    const send = (reply: Fault) =>
      reply === 'hang'
        ? undefined
        : response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers }).end(reply.body)
    void answer(fake, request).then(send)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const fake: FakeVpn = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: 'hvpn_test',
    records: new Map(),
    requests: [],
    interfaces: [{ name: 'wg0', address: '10.231.8.1/24', address6: null, nat: false, enabled: true, node: null }],
    onRequest: () => undefined,
    onChanged: () => undefined,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return fake
}

const json = (status: number, body: object) => ({ status, headers: {}, body: JSON.stringify(body) })
const ok = (data: unknown, more: object = {}) => json(200, { success: true, data, ...more })

async function answer(fake: FakeVpn, request: IncomingMessage): Promise<Fault> {
  let text = ''
  for await (const part of request) text += String(part)
  const { method = '', url = '', headers } = request
  const body = (text === '' ? {} : JSON.parse(text)) as { put?: FakeRecord[]; remove?: FakeRecord[] }
  const { put = [], remove = [] } = body
  const line = `${method} ${url}${method === 'POST' ? ` put ${put.length} remove ${remove.length}` : ''}`
  fake.requests.push(line)
  const fault = await fake.onRequest(line)
  if (fault !== undefined) return fault
  if (url === '/health') return ok({ status: 'ok', app: 'Hearth VPN', version: '0' })
  if (headers.authorization !== `Bearer ${fake.token}`)
    return json(401, { error: 'Unauthorized', message: 'No valid credentials' })
  if (url.startsWith('/api/interfaces')) return ok(fake.interfaces, { total: 1, limit: 100, offset: 0 })
  const [, manager] = /^\/api\/dns\/managed-records\/([a-z0-9-]+)$/.exec(url) ?? []
  if (manager === undefined) return json(404, { error: 'Not Found', message: 'There is no such address' })
  if (method === 'GET')
    return ok({
      manager,
      records: Array.from(fake.records.values(), (record) => Object.assign({ overridden: false }, record)),
    })
  if (method === 'DELETE') {
    const removed = fake.records.size
    fake.records.clear()
    return ok({ removed }, { message: '' })
  }
  for (const record of remove) fake.records.delete(keyOf(record))
  for (const record of put) fake.records.set(keyOf(record), record)
  await fake.onChanged()
  return ok({ put: put.length, removed: remove.length, refused: [], overridden: [] }, { message: '' })
}
