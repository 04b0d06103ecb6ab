import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { join } from 'node:path'
import { makeQuery } from '../../test/dns-packets.ts'
import { startResolverFixture } from '../../test/loopback-resolver.ts'

const root = join(import.meta.dirname, '../../../..')

/** Interval between two queries, milliseconds. */
const askMs = 2
const limitMs = 30_000

/**
 * Milliseconds from the start of the built resolver on one core, without lists, to its first answer over UDP; one value for each of
 * `rounds` starts after a first one, which compiles.
 */
export async function timeResolverStarts(core: number, rounds: number): Promise<number[]> {
  const name = 'nas.home.example'
  await using fixture = await startResolverFixture({
    upstreamPort: 9,
    records: [{ domain: name, belowOnly: false, type: 1, ttl: 60, data: 'c0000207' }],
  })
  await fixture.ask(name)
  await fixture.resolver.close()
  const times: number[] = []
  for (let round = 0; round <= rounds; round += 1) times.push(await timeStart(fixture, { core, name }))
  return times.slice(1)
}

async function timeStart(
  { directory, port }: { directory: string; port: number },
  { core, name }: { core: number; name: string },
): Promise<number> {
  const flags = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=1']
  const args = ['-c', String(core), process.execPath, ...flags, join(root, 'dist/vpn/resolver.mjs'), directory]
  const begin = performance.now()
  const child = spawn('taskset', args, {
    // As the service starts it.
    env: {
      PATH: process.env['PATH'],
      MALLOC_ARENA_MAX: '1',
      MALLOC_TRIM_THRESHOLD_: '131072',
      NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/hearth'),
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const socket = createSocket('udp4')
  const asking = setInterval(() => socket.send(makeQuery(name), port, '127.0.0.1'), askMs)
  try {
    // Nothing listens yet: that is no error here.
    socket.on('error', () => undefined)
    await once(socket, 'message', { signal: AbortSignal.timeout(limitMs) })
    return performance.now() - begin
  } finally {
    clearInterval(asking)
    socket.close()
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
  }
}
