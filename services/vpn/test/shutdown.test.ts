import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, request, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { eventually, startServiceProcess, temporaryDirectory } from '@hearth/testing'

test('a service that is to end answers the requests it has, and does not wait for the client to let go', async () => {
  await using folder = await temporaryDirectory()
  await using service = await startServiceProcess('vpn', { WIREGUARD_BACKEND: 'simulated', DATA_DIR: folder.path })
  using cleanup = new DisposableStack()
  const agent = cleanup.adopt(new Agent({ keepAlive: true }), (agent) => agent.destroy())
  const body = JSON.stringify({ username: 'admin', password: 'wrong' })
  const headers = { 'content-type': 'application/json', 'content-length': body.length, expect: '100-continue' }
  const asked = request(`${service.url}/api/session`, { method: 'POST', agent, headers })
  asked.flushHeaders()
  await once(asked, 'continue')

  const begin = performance.now()
  const ended = service.stop()
  await eventually(
    () => service.stderr.join('\n'),
    (text) => text.includes('stopping'),
  )
  asked.end(body)
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  assert.equal(answer.statusCode, 401)
  answer.resume()
  assert.equal(await ended, 0)
  assert.ok(performance.now() - begin < 5000, `it took ${performance.now() - begin} ms`)
})

test('an endless request does not delay the shutdown', async () => {
  await using folder = await temporaryDirectory()
  await using service = await startServiceProcess('vpn', { WIREGUARD_BACKEND: 'simulated', DATA_DIR: folder.path })
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(
    'POST /api/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"us',
  )
  const begin = performance.now()
  assert.equal(await service.stop(), 0)
  assert.ok(performance.now() - begin < 15_000)
  socket.destroy()
})
