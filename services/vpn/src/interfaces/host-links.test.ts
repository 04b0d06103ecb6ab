import assert from 'node:assert/strict'
import { createSocket, type SocketType } from 'node:dgram'
import { once } from 'node:events'
import { test } from 'node:test'
import { createHostLinks } from './host-links.ts'

const driver = {
  backend: 'userspace',
  list: () => Promise.resolve([]),
  isForeignLink: () => Promise.resolve(false),
  read: () => Promise.resolve(undefined),
} as const
const { isPortFree } = createHostLinks(driver)

/** A socket on a port of the system's choice. */
async function listen(type: SocketType, address: string) {
  const socket = createSocket({ type, ipv6Only: type === 'udp6' })
  socket.bind(0, address)
  await once(socket, 'listening')
  return socket
}

test('a UDP port is free when no socket of the host has it, whatever its address', async () => {
  for (const [type, address] of [
    ['udp4', '127.0.0.1'],
    ['udp4', '0.0.0.0'],
    ['udp6', '::1'],
  ] as const) {
    const socket = await listen(type, address)
    const { port } = socket.address()
    assert.equal(await isPortFree(port), false, address)
    socket.close()
    await once(socket, 'close')
    const answers = await Promise.all(Array.from({ length: 20 }, () => isPortFree(port)))
    assert.deepEqual(new Set(answers), new Set([true]), 'who asks is in nobody’s way')
  }
})

test('a UDP port that a socket has for a moment is free', async () => {
  const socket = await listen('udp4', '127.0.0.1')
  const answer = isPortFree(socket.address().port)
  setTimeout(() => socket.close(), 100)
  assert.equal(await answer, true)
})

test('a simulated device, which opens no socket, may have a port that another program uses', async () => {
  const socket = await listen('udp4', '127.0.0.1')
  const simulated = createHostLinks({ ...driver, backend: 'simulated' })
  assert.equal(await simulated.isPortFree(socket.address().port), true)
  socket.close()
})
