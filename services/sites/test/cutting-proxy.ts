import { createServer, request, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { AdminAddress } from '../src/deploy/nodes/admin-address.ts'

/** An admin endpoint behind a connection that breaks when it is told to. */
export interface CuttingProxy extends AsyncDisposable {
  readonly address: AdminAddress
  /**
   * Failures of the next changes, one each: `before` breaks off before Caddy hears of it, `after` when Caddy has done it and
   * before the answer; `gone` is the same, and then nobody answers any more.
   */
  readonly cuts: ('before' | 'after' | 'gone')[]
  /** While it is true nothing is answered, and after a cut `gone` it is. */
  isGone: boolean
  /** Changes that reached Caddy. */
  readonly passed: number
  /** Is called when a change is about to be passed on. */
  meanwhile: (() => Promise<void>) | undefined
}

/** Stands in front of the admin socket of a real Caddy. */
export async function startCuttingProxy(socket: string): Promise<CuttingProxy> {
  const cuts: ('before' | 'after' | 'gone')[] = []
  let passed = 0
  const state: { meanwhile: (() => Promise<void>) | undefined; isGone: boolean } = {
    meanwhile: undefined,
    isGone: false,
  }
  const server = createServer((incoming, answer) => {
    if (state.isGone) {
      incoming.socket.destroy()
      return
    }
    void (async () => {
      const chunks = await incoming.toArray()
      const isChange = incoming.method !== 'GET' && incoming.url === '/config/'
      const cut = isChange ? cuts.shift() : undefined
      const { meanwhile } = state
      if (isChange) state.meanwhile = undefined
      if (isChange) await meanwhile?.()
      if (cut === 'before') {
        incoming.socket.destroy()
        return
      }
      if (isChange) passed += 1
      const { 'if-match': tag, 'content-type': type = 'application/json' } = incoming.headers
      const headers = { host: '', 'content-type': type, ...(tag === undefined ? {} : { 'if-match': tag }) }
      const outgoing = request({
        socketPath: socket,
        path: incoming.url,
        method: incoming.method,
        setHost: false,
        headers,
        agent: false,
      })
      outgoing.end(Buffer.concat(chunks as Buffer[]))
      const [reply] = (await once(outgoing, 'response')) as [IncomingMessage]
      const body = Buffer.concat((await reply.toArray()) as Buffer[])
      if (cut === 'gone') state.isGone = true
      if (cut === 'after' || cut === 'gone') {
        incoming.socket.destroy()
        return
      }
      const etag = reply.headers.etag ?? reply.trailers['etag']
      answer.writeHead(reply.statusCode ?? 500, etag === undefined ? {} : { etag }).end(body)
    })().catch(() => incoming.socket.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: { kind: 'tcp', host: '127.0.0.1', port: (server.address() as AddressInfo).port },
    cuts,
    get passed() {
      return passed
    },
    set isGone(isGone: boolean) {
      state.isGone = isGone
    },
    get isGone() {
      return state.isGone
    },
    set meanwhile(work: (() => Promise<void>) | undefined) {
      state.meanwhile = work
    },
    get meanwhile() {
      return state.meanwhile
    },
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
