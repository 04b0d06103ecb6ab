import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { systemClock } from '@hearth/runtime'
import { eventually } from '@hearth/testing'
import { QueryLog } from '../src/query-log/query-log.ts'
import { askByTcp } from './dns-client.ts'
import { makeQuery } from './dns-packets.ts'
import { startFakeNameserver } from './fake-nameserver.ts'
import { startResolverFixture } from './loopback-resolver.ts'

for (const engine of ['ffi', 'dgram'] as const)
  test(`with ${engine}: the query log is newest first, by UDP and TCP alike`, { timeout: 60_000 }, async () => {
    await using upstream = await startFakeNameserver()
    await using fixture = await startResolverFixture({ upstreamPort: upstream.port, settings: { engine } })
    // A resolver that begins anew with its settings may lose a query, as a client knows; what is asked until then is not counted.
    await eventually(
      () => fixture.ask('begin.example'),
      () => true,
    )
    const asked: string[] = []
    // More than a second, so that it is written in between.
    for (let n = 0; n < 150; n++) {
      const name = `n${n}.example`
      asked.push(name)
      if (n % 3 === 1) await askByTcp(fixture.port, [makeQuery(name)])
      else await fixture.ask(name)
      await pause(5)
    }
    const log = new QueryLog({ file: join(fixture.directory, 'query-log.db'), clock: systemClock })
    try {
      const logged = async () => {
        const { rows } = await log.list({}, { limit: 200, offset: 0 })
        return rows.map(({ domain }) => domain).filter((domain) => domain !== 'begin.example')
      }
      const domains = await eventually(logged, ({ length }) => length === asked.length)
      assert.deepEqual(domains.toReversed(), asked)
    } finally {
      await log.close()
    }
  })
