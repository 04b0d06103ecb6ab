import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { execa } from 'execa'
import { testSeed } from '@hearth/testing'
import { caddyObstacle } from './real-caddy.ts'
import type { DriveReport } from './continuous-load/drive.ts'
import { networkOfItsOwn } from './continuous-load/own-network.ts'

const program = join(import.meta.dirname, 'continuous-load/drive.ts')
const limitMs = 180_000

/**
 * A Caddy of version 2.6 opens its ports anew at each change, and drops what has connected to the old ones and was not taken up
 * yet. `net.ipv4.tcp_migrate_req` lets the system hand it over. Where the test may not have a network of its own, in which that
 * is switched on, dropped connections are counted and shown, and everything else must hold.
 */
test('unedited sites lose no request during 200 edits, refusals, restores and a kill of the service', async (t) => {
  const obstacle = caddyObstacle()
  if (obstacle !== undefined) return t.skip(obstacle)
  t.diagnostic(`TEST_SEED=${testSeed}`)
  const network = await networkOfItsOwn()
  const words = [
    ...network,
    process.execPath,
    program,
    String(testSeed),
    ...(network.length > 0 ? ['own-network'] : []),
  ]
  const { stdout } = await execa(words[0] ?? '', words.slice(1), { timeout: limitMs, maxBuffer: 1_000_000 })
  const report = JSON.parse(stdout) as DriveReport
  t.diagnostic(JSON.stringify({ ...report.load.asked, sentAgain: report.load.sentAgain, ...report.edits.done }))
  const { failures } = report.load
  const dropped = network.length > 0 ? [] : failures.filter((text) => /^fresh: .*ECONNRESET/.test(text))
  if (dropped.length > 0) t.diagnostic(`${dropped.length} connections were dropped; see net.ipv4.tcp_migrate_req`)
  assert.deepEqual(failures, dropped)
  assert.deepEqual(report.edits.surprises, [])
  assert.deepEqual(report.untrue, [])
  assert.equal(report.caddy[1], report.caddy[0], 'the Caddy that served went on')
  const { fresh = 0, kept = 0, slow = 0 } = report.load.asked
  assert.ok(fresh > 1000 && kept > 300 && slow > 1, JSON.stringify(report.load.asked))
  for (const kind of ['create', 'change', 'switch', 'remove', 'refused', 'return'])
    assert.ok((report.edits.done[kind] ?? 0) > 2, `${kind}: ${report.edits.done[kind]}`)
  assert.ok(report.revisions > 10, `${report.revisions} revisions`)
})
