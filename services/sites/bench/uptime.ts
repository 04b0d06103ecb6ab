import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { migrate, openDatabase } from '@hearth/database'
import { createLog, systemTimers } from '@hearth/runtime'
import { selfSignedCertificate, temporaryDirectory } from '@hearth/testing'
import { migrations } from '../src/database/migrations/index.ts'
import type { Tables } from '../src/tables.ts'
import { UpstreamStates } from '../src/traffic/upstreams/upstream-states.ts'
import { MaintenanceWindows } from '../src/uptime/maintenance/maintenance-windows.ts'
import { Uptime } from '../src/uptime/uptime.ts'
import { makeRecord } from '../test/site-makers.ts'

/**
 * `npm run bench -- sites/uptime`: the share of a core that checks take: a thousand sites every 30 s through a server on loopback,
 * each over a connection of its own, and as many upstreams, once with four names each, with everything stored in SQLite. The limit
 * is 5 %. The servers are another process, and not counted.
 */
const [count = 1000, seconds = 60] = process.argv.slice(2).map(Number)
const intervalSeconds = 30
const say = (name: string, text: string): void => void process.stdout.write(`  ${name.padEnd(44)} ${text}\n`)

/** Names of a site, the first of which is requested. */
const namesOf = (number: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${index === 0 ? '' : `n${index}.`}s${number}.bench.test`)

async function measure(mode: 'off' | 'internal', names = 1): Promise<void> {
  await using folder = await temporaryDirectory('bench-uptime')
  const child = fork(join(import.meta.dirname, 'scenario/uptime-server.ts'), [])
  child.send(selfSignedCertificate('bench.test'))
  const [ports] = (await once(child, 'message')) as [{ httpPort: number; httpsPort: number }]
  const database = openDatabase<Tables>({ file: join(folder.path, 'sites.db') })
  await migrate(database.query, migrations)
  const log = createLog({ name: 'bench', level: 'silent' })
  const check = { interval_seconds: intervalSeconds, verify_tls: false }
  const sites = Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    name: `site ${index + 1}`,
    servers: [{ id: 1, name: 'caddy', endpoint: { address: '127.0.0.1', ...ports } }],
    record: makeRecord({
      site_name: `site ${index + 1}`,
      domains: namesOf(index + 1, names),
      tls: { mode },
      upstreams: [{ url: 'http://127.0.0.1:9' }],
      check,
    }),
  }))
  const shared = { db: database.query, timers: systemTimers, log }
  const uptime = new Uptime({
    ...shared,
    publish: () => undefined,
    windows: new MaintenanceWindows({ db: database.query, clock: systemTimers, onChanged: () => undefined }),
    watched: () => Promise.resolve({ sites, hasOwnAuthority: false }),
    onReport: () => undefined,
  })
  const upstreams = new UpstreamStates({
    ...shared,
    declared: () =>
      Promise.resolve(
        sites.map(({ id }) => ({ address: `127.1.${id >> 8}.${id & 255}:${ports.httpPort}`, siteIds: [id] })),
      ),
    counted: () => Promise.resolve([]),
    onChecked: (states) => Promise.resolve(uptime.observeUpstreams(states)),
  })
  await uptime.start()
  upstreams.start()
  // One round, so that every site is known and the code is warm.
  await pause(intervalSeconds * 1000)
  const cpu = process.cpuUsage()
  const begun = performance.now()
  await pause(seconds * 1000)
  const used = process.cpuUsage(cpu)
  const wall = performance.now() - begun
  await upstreams.close()
  await uptime.close()
  const { checks, failed } = await database.query
    .selectFrom('uptime_days')
    .select((row) => [row.fn.sum<number>('checks').as('checks'), row.fn.sum<number>('failed').as('failed')])
    .where('subject', 'like', 'site:%')
    .executeTakeFirstOrThrow()
  const share = ((used.user + used.system) / 1000 / wall) * 100
  const protocol = `${mode === 'off' ? 'HTTP' : 'HTTPS, a full handshake each'}${names > 1 ? `, ${names} names` : ''}`
  say(`${count} sites every ${intervalSeconds} s, ${protocol}`, `${share.toFixed(2)} % of a core (limit 5)`)
  say('', `${checks} checks since the start, ${failed} failed`)
  await database.close()
  child.disconnect()
  await once(child, 'exit')
}

await measure('off')
await measure('internal')
await measure('internal', 4)
