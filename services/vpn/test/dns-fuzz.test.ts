import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { eventually } from '@hearth/testing'
import { addressOf, startFakeNameserver } from './fake-nameserver.ts'
import { makeQuery } from './dns-packets.ts'
import { startResolverFixture, type ResolverFixture } from './loopback-resolver.ts'

const packets = 1_000_000

test(
  `${packets} malformed packets neither crash the resolver nor fill its memory`,
  { timeout: 240_000 },
  async (context) => {
    await using upstream = await startFakeNameserver()
    await using fixture = await startResolverFixture({ lists: { ads: '||ads.example^' }, upstreamPort: upstream.port })
    await fixture.ask('warm.example')
    const pid = fixture.resolver.pid ?? 0
    await using socket = createSocket({ type: 'udp4', sendBufferSize: 4 << 20 })
    socket.on('error', () => undefined)
    socket.connect(fixture.port, '127.0.0.1')
    await once(socket, 'connect')
    let answers = 0
    socket.on('message', () => (answers += 1))
    const noise = randomBytes(1 << 20)
    const seeds = ['a.example', 'ads.example', 'x'.repeat(63), 'many.labels.in.one.name.example'].map((name) =>
      Buffer.from(makeQuery(name, 1, 1232)),
    )
    const before = { memory: 0 }
    for (let sent = 0; sent < packets; sent++) {
      socket.send(broken(sent, { noise, seeds }))
      if (sent % 500 === 0) await turn()
      if (sent === packets / 10) before.memory = await memoryOf(pid)
      // Every so often someone really wants to know something.
      if (sent % 100_000 === 0) await isAnswered(fixture, `n${sent}.example`)
    }
    const grown = (await memoryOf(pid)) - before.memory
    context.diagnostic(`${answers} answers, ${grown.toFixed(1)} MiB more`)
    assert.equal(fixture.resolver.pid, pid)
    assert.equal(fixture.resolver.restarts, 0)
    assert.ok(grown < 48, `${grown} MiB more`)
    await eventually(
      () => fixture.ask('ads.example'),
      ({ isBlocked }) => isBlocked,
      { seconds: 30, what: 'the block after the flood' },
    )
  },
)

test('garbage TCP streams are closed, and other clients are served meanwhile', { timeout: 60_000 }, async () => {
  await using upstream = await startFakeNameserver()
  await using fixture = await startResolverFixture({ upstreamPort: upstream.port })
  const sockets = Array.from({ length: 40 }, () => connect(fixture.port, '127.0.0.1'))
  for (const socket of sockets) {
    socket.on('error', () => undefined)
    socket.write(randomBytes(randomInt(1, 60_000)))
    socket.write(Buffer.concat([Buffer.from([0xff, 0xff]), randomBytes(65_535)]))
  }
  for (let n = 0; n < 50; n++) assert.equal((await fixture.ask(`s${n}.example`)).rcode, 0)
  for (const socket of sockets) socket.destroy()
  assert.equal(fixture.resolver.restarts, 0)
})

/** The flood keeps this process's name server busy and the socket full, so the first tries may be told nothing. */
async function isAnswered(fixture: ResolverFixture, name: string): Promise<void> {
  await eventually(
    () => fixture.ask(name),
    ({ addresses }) => addresses.join() === addressOf(name),
    { seconds: 30, what: `an answer for ${name}` },
  )
}

/** Random bytes, or a question with some of its bytes changed, cut off or added to. */
function broken(n: number, { noise, seeds }: { noise: Buffer; seeds: readonly Buffer[] }): Buffer {
  const at = (n * 7919) % (noise.length - 2000)
  const control = noise.readUInt32BE(at)
  if (n % 4 === 0) return noise.subarray(at, at + (control % 600))
  const packet = Buffer.from(seeds[n % seeds.length] ?? noise)
  for (let k = 0; k <= control % 6; k++)
    packet[noise.readUInt16BE(at + 4 + 2 * k) % packet.length] = noise[at + 20 + k] ?? 0
  if (n % 4 === 1) return packet.subarray(0, control % packet.length)
  return n % 4 === 2 ? Buffer.concat([packet, noise.subarray(at, at + (control % 400))]) : packet
}

/** Resident, MiB. */
async function memoryOf(pid: number): Promise<number> {
  return Number(/^VmRSS:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}
