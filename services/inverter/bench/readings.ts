/**
 * How fast a cached value is answered, as a share of an empty route of the same framework, and how many requests 200 parallel
 * readings of 40 metrics cost the device. Run by hand: npm run bench -- inverter/readings
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog, systemTimers } from '@hearth/runtime'
import Fastify from 'fastify'
import { callControl } from '../src/command-line/control-socket.ts'
import { loadCatalog } from '../src/catalog/catalog.ts'
import { readConfig } from '../src/config.ts'
import { openService } from '../src/open-service.ts'
import { startSimulator } from '../src/simulator/simulator.ts'
import { putLoad } from './load.ts'

const rounds = 5
const seconds = 2
const connections = 32
const limit = 0.6

const catalog = loadCatalog()
const folder = await mkdtemp(join(tmpdir(), 'hearth-bench-'))
const inverter = await startSimulator({ port: 0, timers: systemTimers, catalog })
const config = readConfig({ DATA_DIR: folder, RATE_LIMIT_PER_MINUTE: '1000000' })
const service = await openService(config, { log: createLog({ name: 'bench', level: 'silent' }) })
const operate = async (path: string, body: object) =>
  JSON.parse((await callControl(folder, { method: 'POST', path, body })).text) as { token: string }
const { token } = await operate('/admin/api/tokens', { name: 'bench', role: 'read' })
await operate('/admin/api/devices', { device_id: 'main', host: '127.0.0.1', port: inverter.port })
await service.app.http.listen({ host: '127.0.0.1', port: 0 })
const empty = Fastify()
empty.get('/', () => ({ ok: true }))
await empty.listen({ host: '127.0.0.1', port: 0 })
const portOf = (server: typeof empty): number => (server.server.address() as { port: number }).port
const get = (path: string) =>
  fetch(`http://127.0.0.1:${portOf(service.app.http as never)}${path}`, {
    headers: { authorization: `Bearer ${token}` },
  })

const batch = '/api/v1/devices/main/metrics'
const before = inverter.wire.length
const answers = await Promise.all(Array.from({ length: 200 }, () => get(batch)))
const bodies = (await Promise.all(answers.map((answer) => answer.json()))) as { metrics: { name: string }[] }[]
const preselected = new Set(catalog.roles.preselected.map((name) => catalog.byName(name)?.objectId))
const reads = inverter.wire
  .slice(before)
  .filter(({ frame }) => frame?.command === 'read' && preselected.has(frame.objectId))
const most = Math.max(
  ...Map.groupBy(reads, ({ frame }) => frame?.objectId)
    .values()
    .map((list) => list.length),
)
const complete = bodies.filter(({ metrics }) => metrics.length === 40).length
process.stdout.write(
  `200 parallel readings of 40 metrics: ${complete} complete, ${reads.length} requests to the device, at most ${most} for one metric (limit 1)\n`,
)

const shares: number[] = []
for (let round = 1; round <= rounds; round += 1) {
  await get(`${batch}/battery_soc`)
  const shared = { token, connections, seconds }
  const plain = await putLoad({ ...shared, port: portOf(empty), path: '/' })
  const cached = await putLoad({ ...shared, port: portOf(service.app.http as never), path: `${batch}/battery_soc` })
  shares.push(cached.perSecond / plain.perSecond)
  process.stdout.write(
    `round ${round}: empty route ${Math.round(plain.perSecond)}/s, cached value ${Math.round(cached.perSecond)}/s (${cached.failed} failed), share ${(100 * (shares.at(-1) ?? 0)).toFixed(0)} %\n`,
  )
}
const median = shares.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0
const isMet = median >= limit && most <= 1 && complete === 200
process.stdout.write(
  `median share ${(100 * median).toFixed(0)} % (limit ${100 * limit} %), load ${loadavg()[0]?.toFixed(1)}: ${isMet ? 'met' : 'NOT met'}\n`,
)
await empty.close()
await service.close()
await inverter.close()
await rm(folder, { recursive: true })
process.exit(isMet ? 0 : 1)
