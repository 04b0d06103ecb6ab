import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request, type IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { describe, test } from 'node:test'
import { portReopened } from './reopened-port.ts'
import { caddyAges, startServedSites } from './served-sites.ts'
import { makeSite } from './site-makers.ts'

describe('an open WebSocket', () => {
  for (const age of caddyAges)
    test(
      `on ${age.name} ${age.capabilities.streamCloseDelay ? 'survives' : 'ends with'} a change of another site`,
      { skip: age.skip },
      async () => {
        await using served = await startServedSites(age)
        await using echo = await startEcho()
        const site = makeSite(1, { domains: ['ws.test'], upstreams: [{ url: echo.url }], tls: { mode: 'off' } })
        await served.serve([site])
        const stream = await upgrade(served.caddy.httpPort, 'ws.test')
        stream.write('one')
        assert.equal(await nextText(stream, 3), 'one')
        const ended = once(stream, 'end', { signal: AbortSignal.timeout(5000) }).catch((error: unknown) => error)
        await served.serve([
          site,
          makeSite(2, { domains: ['b.test'], kind: 'respond', respond: {}, tls: { mode: 'off' } }),
        ])
        if (age.capabilities.streamCloseDelay) {
          stream.write('two')
          assert.equal(await nextText(stream, 3), 'two')
        } else {
          assert.ok(Array.isArray(await ended), 'the stream went on')
        }
        stream.destroy()
      },
    )
})

/** A server that upgrades and says what it hears. */
async function startEcho(): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer()
  const open = new Set<Duplex>()
  server.on('upgrade', (_request: IncomingMessage, socket: Duplex) => {
    open.add(socket)
    socket.on('error', () => socket.destroy())
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
    socket.pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

async function upgrade(port: number, host: string): Promise<Duplex> {
  await portReopened(port)
  const headers = { Host: host, Connection: 'Upgrade', Upgrade: 'websocket' }
  const asking = request({ host: '127.0.0.1', port, path: '/', headers, agent: false })
  asking.end()
  const [, socket] = (await once(asking, 'upgrade', { signal: AbortSignal.timeout(5000) })) as [unknown, Duplex]
  socket.on('error', () => socket.destroy())
  return socket
}

/** Returns the next so many bytes as text, in however many parts they come. */
async function nextText(stream: Duplex, length: number): Promise<string> {
  let text = ''
  while (text.length < length) {
    const [data] = (await once(stream, 'data', { signal: AbortSignal.timeout(5000) })) as [Buffer]
    text += data.toString()
  }
  return text
}
