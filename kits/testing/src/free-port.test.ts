import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { freePort } from './free-port.ts'

test('a free port is given once', async () => {
  const ports = await Promise.all(Array.from({ length: 200 }, () => freePort()))
  assert.equal(new Set(ports).size, ports.length)
})

test('at a free port TCP and UDP can be listened at, IPv4 and IPv6', async () => {
  for (const address of ['127.0.0.1', '::1']) {
    const port = await freePort(address)
    const server = createServer().listen({ port, host: address })
    const socket = createSocket(address === '::1' ? 'udp6' : 'udp4').bind({ port, address })
    await Promise.all([once(server, 'listening'), once(socket, 'listening')])
    server.close()
    socket.close()
  }
})
