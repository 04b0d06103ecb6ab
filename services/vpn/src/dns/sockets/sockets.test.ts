import assert from 'node:assert/strict'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { after, before, test } from 'node:test'
import * as fc from 'fast-check'
import { eventually } from '@hearth/testing'
import { Batch } from './batch.ts'
import { layOnHugePages } from './huge-pages.ts'
import { epollEvent } from './layouts.ts'
import { openLibc, SystemFault, type Libc } from './libc.ts'
import { deviceIndex, localPort, openConnectedSocket, openListeningSocket } from './open-socket.ts'
import { Poller } from './poller.ts'
import { addressText, encodeSocketAddress, isNearby, portOf } from './socket-address.ts'
import { setThreadSlice, minSlice, threadSlice } from './thread-slice.ts'

let libc: Libc | undefined
let obstacle = ''
before(async () => {
  libc = await openLibc().catch((error: Error) => {
    obstacle = error.message
    return undefined
  })
})

const descriptors: number[] = []
const kept = (descriptor: number): number => {
  descriptors.push(descriptor)
  return descriptor
}
after(() => {
  for (const descriptor of descriptors) libc?.call.close(descriptor)
})

/** The C library, or undefined after the test was skipped with the reason. */
function needLibc(context: { skip(reason: string): void }): Libc | undefined {
  if (libc === undefined) context.skip(obstacle)
  return libc
}

async function echo(address: string): Promise<Socket> {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4')
  socket.on('message', (bytes, from) => socket.send(bytes, from.port, from.address))
  socket.bind(0, address)
  await once(socket, 'listening')
  return socket
}

for (const address of ['127.0.0.1', '::1']) {
  test(`the kernel reads and writes batches in the expected layout: lengths, bytes and addresses, at ${address}`, async (t) => {
    const libc = needLibc(t)
    if (libc === undefined) return
    const socket = await echo(address)
    try {
      const listening = kept(openListeningSocket(libc, 'udp', { address, port: 0, device: null }))
      const poller = new Poller(libc)
      kept(poller.descriptor)
      poller.poll([{ descriptor: listening, tag: 0xfedc_ba98 }])
      const out = new Batch(libc, { count: 8, slot: 64, withAddresses: true })
      for (let n = 0; n < 8; n++) {
        out.bytes.fill(n + 1, n * 64, n * 64 + n + 1)
        out.setLength(n, n + 1)
        encodeSocketAddress(out.addresses, n * 32, address, socket.address().port)
      }
      out.send(listening, 0, 3)
      out.send(listening, 3, 8)
      const received = new Batch(libc, { count: 16, slot: 64, withAddresses: true })
      const seen: string[] = []
      await eventually(
        () => {
          if (poller.wait(0) < 1) return seen
          assert.equal(poller.tag(0), 0xfedc_ba98)
          const count = received.receive(listening)
          for (let n = 0; n < count; n++) {
            const length = received.length(n)
            const bytes = received.bytes.subarray(n * 64, n * 64 + length)
            assert.deepEqual(
              [...bytes],
              Array.from({ length }, () => length),
            )
            assert.equal(portOf(received.addresses, n * 32), socket.address().port)
            seen.push(`${length} ${addressText(received.addresses, n * 32)}`)
          }
          return seen
        },
        ({ length }) => length === 8,
      )
      const from = address === '::1' ? '0:0:0:0:0:0:0:1' : address
      assert.deepEqual(
        seen,
        Array.from({ length: 8 }, (_, n) => `${n + 1} ${from}`),
      )
    } finally {
      socket.close()
    }
  })
}

test('a batch that received from IPv4 can still hold IPv6 addresses, and an oversized datagram counts as empty', async (t) => {
  const libc = needLibc(t)
  if (libc === undefined) return
  const batch = new Batch(libc, { count: 4, slot: 16, withAddresses: true })
  for (const address of ['127.0.0.1', '::1', '127.0.0.1', '::1']) {
    const listening = kept(openListeningSocket(libc, 'udp', { address, port: 0, device: null }))
    const sender = createSocket(address === '::1' ? 'udp6' : 'udp4')
    try {
      sender.bind(0, address)
      await once(sender, 'listening')
      sender.send(new Uint8Array(17), localPort(libc, listening), address)
      await eventually(
        () => batch.receive(listening),
        (count) => count === 1,
      )
      assert.equal(batch.length(0), 0)
      assert.equal(addressText(batch.addresses, 0), address === '::1' ? '0:0:0:0:0:0:0:1' : address)
      assert.equal(portOf(batch.addresses, 0), sender.address().port)
    } finally {
      sender.close()
    }
  }
})

test('polled sockets and those in the set are reported together, only while they are readable', async (t) => {
  const libc = needLibc(t)
  if (libc === undefined) return
  const poller = new Poller(libc)
  kept(poller.descriptor)
  const sockets = [10, 20, 30, 40].map((tag) => ({
    tag,
    descriptor: kept(openListeningSocket(libc, 'udp', { address: '127.0.0.1', port: 0, device: null })),
  }))
  poller.poll(sockets.slice(0, 2))
  for (const { descriptor, tag } of sockets.slice(2)) poller.add(descriptor, tag)
  const ready = (): number[] => Array.from({ length: poller.wait(0) }, (_, n) => poller.tag(n))
  assert.deepEqual(ready(), [])
  const sender = createSocket('udp4')
  const batch = new Batch(libc, { count: 4, slot: 16, withAddresses: true })
  try {
    for (const { descriptor } of sockets) sender.send('x', localPort(libc, descriptor), '127.0.0.1')
    await eventually(ready, (tags) => tags.length === 4)
    assert.deepEqual(
      ready().toSorted((a, b) => a - b),
      [10, 20, 30, 40],
    )
    for (const { descriptor } of sockets.slice(1, 3)) assert.equal(batch.receive(descriptor), 1)
    assert.deepEqual(ready(), [10, 40])
    poller.poll(sockets.slice(1, 2))
    assert.deepEqual(ready(), [40])
  } finally {
    sender.close()
  }
})

test('memory keeps its content when it is moved to huge pages', (t) => {
  const libc = needLibc(t)
  if (libc === undefined) return
  const memory = new SharedArrayBuffer(6 << 20)
  const words = new Uint32Array(memory)
  for (let n = 0; n < words.length; n++) words[n] = n
  const hugeBytes = () =>
    Number(/^AnonHugePages: +(\d+) kB/m.exec(readFileSync('/proc/self/smaps_rollup', 'utf8'))?.[1]) * 1024
  const before = hugeBytes()
  if (!layOnHugePages(libc, memory)) return t.skip('this kernel lays nothing on huge pages when it is asked to')
  assert.ok(hugeBytes() - before >= 4 << 20)
  assert.ok(words.every((word, n) => word === n))
  assert.equal(layOnHugePages(libc, new SharedArrayBuffer(100)), false)
})

test('a connected socket receives from its server only', async (t) => {
  const libc = needLibc(t)
  if (libc === undefined) return
  const [server, unknown] = [await echo('127.0.0.1'), await echo('127.0.0.1')]
  try {
    const connected = kept(openConnectedSocket(libc, { address: '127.0.0.1', port: server.address().port }))
    const port = localPort(libc, connected)
    unknown.send('forged', port, '127.0.0.1')
    const batch = new Batch(libc, { count: 4, slot: 16, withAddresses: false })
    batch.bytes.set(new TextEncoder().encode('real'))
    batch.setLength(0, 4)
    batch.send(connected, 0, 1)
    await eventually(
      () => batch.receive(connected),
      (count) => count === 1,
    )
    assert.equal(new TextDecoder().decode(batch.bytes.subarray(0, batch.length(0))), 'real')
  } finally {
    server.close()
    unknown.close()
  }
})

test('a missing address can be bound, a missing device cannot', (t) => {
  const libc = needLibc(t)
  if (libc === undefined) return
  kept(openListeningSocket(libc, 'udp', { address: '192.0.2.1', port: 0, device: null }))
  kept(openListeningSocket(libc, 'tcp', { address: '2001:db8::1', port: 0, device: null }))
  assert.throws(
    () => openListeningSocket(libc, 'udp', { address: '192.0.2.1', port: 0, device: 'nothere0' }),
    (error) => error instanceof SystemFault && error.code === 'ENODEV',
  )
  const taken = kept(openListeningSocket(libc, 'udp', { address: '127.0.0.1', port: 0, device: null }))
  assert.throws(
    () => openListeningSocket(libc, 'udp', { address: '127.0.0.1', port: localPort(libc, taken), device: null }),
    (error) => error instanceof SystemFault && error.code === 'EADDRINUSE',
  )
  assert.equal(deviceIndex(libc, 'lo'), 1)
  assert.equal(deviceIndex(libc, 'nothere0'), 0)
})

test('epoll events are packed on x86-64 only', () => {
  assert.deepEqual(epollEvent('x64'), { size: 12, data: 4 })
  assert.deepEqual(epollEvent('arm64'), { size: 16, data: 8 })
})

test('addresses are restored from their bytes', () => {
  const bytes = new Uint8Array(64)
  fc.assert(
    fc.property(fc.ipV4(), fc.nat(65_535), (address, port) => {
      assert.equal(encodeSocketAddress(bytes, 32, address, port), 16)
      assert.equal(addressText(bytes, 32), address)
      assert.equal(portOf(bytes, 32), port)
    }),
  )
  fc.assert(
    fc.property(fc.ipV6(), fc.nat(65_535), (address, port) => {
      assert.equal(encodeSocketAddress(bytes, 32, address, port), 28)
      const canonical = (text: string) => new URL(`http://[${text}]/`).hostname
      assert.equal(canonical(addressText(bytes, 32)), canonical(address))
      assert.equal(portOf(bytes, 32), port)
    }),
  )
  assert.throws(() => encodeSocketAddress(bytes, 0, 'example.com', 53), RangeError)
})

test('only loopback and local networks count as nearby', () => {
  const bytes = new Uint8Array(32)
  const nearby = (address: string) => {
    encodeSocketAddress(bytes, 0, address, 53)
    return isNearby(bytes, 0)
  }
  const near = ['127.0.0.1', '127.9.9.9', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', '169.254.1.1']
  for (const address of [...near, '100.64.0.1', '::1', 'fd00::1', 'fe80::1', '::ffff:10.0.0.1']) {
    assert.equal(nearby(address), true, address)
  }
  const far = ['8.8.8.8', '172.15.0.1', '172.32.0.1', '192.169.1.1', '100.128.0.1', '0.0.0.0', '224.0.0.1']
  for (const address of [...far, '::', '::2', '2001:db8::1', 'ff02::1', '::ffff:8.8.8.8', 'fec0::1']) {
    assert.equal(nearby(address), false, address)
  }
})

test('a thread gets the short turns it requests, keeps its priority, and others keep theirs', (t) => {
  const libc = needLibc(t)
  if (libc === undefined) return
  const usual = threadSlice(libc)
  if (usual === undefined || usual === 0)
    return t.skip('this kernel does not tell how long a turn is (Linux 6.12 does)')
  const other = threadSlice(libc, process.ppid)
  const priority = getPriority()
  setThreadSlice(libc, minSlice)
  try {
    assert.equal(threadSlice(libc), 100_000)
    assert.equal(getPriority(), priority)
    assert.equal(threadSlice(libc, process.ppid), other)
  } finally {
    setThreadSlice(libc, usual)
  }
})
