import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { temporaryDirectory } from '@hearth/testing'

const run = promisify(execFile)

/** Runs in a mount namespace of its own: mounts ten MiB, fills them, makes room, and tells what became of the entries. */
const program = (testLog: string) => `
  import { execFileSync } from 'node:child_process'
  import { rmSync, writeFileSync } from 'node:fs'
  import { createTestLog } from ${JSON.stringify(testLog)}
  const disk = process.argv[2]
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=10m', 'tmpfs', disk], { timeout: 10_000 })
  writeFileSync(disk + '/filler', Buffer.alloc(4 << 20))
  const { log, writer } = createTestLog(disk + '/query-log.db', { bytes: 1 << 18 })
  let offered = 0
  let written = 0
  for (let n = 0; writer.lost === 0 && n < 1000; n++) {
    written += log(...Array.from({ length: 500 }, (_, k) => ({ name: 'n' + n + '-' + k + '.example' })))
    offered += 500
  }
  const full = { failure: writer.failure, lost: writer.lost }
  rmSync(disk + '/filler')
  written += log({ name: 'after.example' })
  process.stdout.write(JSON.stringify({ full, offered: offered + 1, written, lost: writer.lost, failure: writer.failure }))
`

/** The same with the journal of a node, on 256 KiB: tells what its batches say of themselves and what they hold. */
const journalProgram = (ring: string, writer: string, fixture: string) => `
  import { execFileSync } from 'node:child_process'
  import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
  import { createRingMemory, LogRing } from ${JSON.stringify(ring)}
  import { JournalWriter } from ${JSON.stringify(writer)}
  import { entryOf } from ${JSON.stringify(fixture)}
  const disk = process.argv[2]
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk], { timeout: 10_000 })
  const memory = createRingMemory(1 << 20)
  const ring = new LogRing(memory)
  const writer = new JournalWriter(disk, [memory], { retentionDays: 7 })
  writer.start()
  const log = (from, to) => {
    for (let n = from; n < to; n++) ring.append(entryOf({ name: 'n' + n + '.example' }))
    ring.publish()
    return writer.write()
  }
  log(0, 100)
  writeFileSync(disk + '/filler', Buffer.alloc(200 << 10))
  const atOnce = log(100, 1500)
  const { failure } = writer
  writer.write()
  rmSync(disk + '/filler')
  writer.write()
  writer.closeWhenDue(Date.now(), true)
  const batches = readdirSync(disk).map((file) => {
    const lines = readFileSync(disk + '/' + file, 'utf8').trimEnd().split('\\n')
    return { file, lines: lines.length, names: new Set(lines.map((line) => JSON.parse(line)[2])).size }
  })
  process.stdout.write(JSON.stringify({ atOnce, failure, batches }))
`

async function namespaceObstacle(): Promise<string | false> {
  return run('unshare', ['-m', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { timeout: 10_000 }).then(
    () => false as const,
    (error: Error) => `a full disk needs a mount namespace: ${error.message}`,
  )
}

test('on a full disk entries wait, then are dropped and counted; once there is space the log continues', async (context) => {
  const obstacle = await namespaceObstacle()
  if (obstacle !== false) return context.skip(obstacle)
  await using folder = await temporaryDirectory('disk-full')
  const [disk, script] = [join(folder.path, 'disk'), join(folder.path, 'program.mjs')]
  await mkdir(disk)
  await writeFile(script, program(new URL('../../test/query-log-fixture.ts', import.meta.url).href))
  const { stdout } = await run('unshare', ['-m', process.execPath, script, disk], { timeout: 60_000 })
  const { full, offered, written, lost, failure } = JSON.parse(stdout)
  assert.match(full.failure, /full/)
  assert.ok(full.lost > 0)
  assert.equal(failure, null)
  assert.equal(written + lost, offered)
})

test('a batch of a node has each query once, also when the disk was full while it was written', async (context) => {
  const obstacle = await namespaceObstacle()
  if (obstacle !== false) return context.skip(obstacle)
  await using folder = await temporaryDirectory('disk-full')
  const [disk, script] = [join(folder.path, 'disk'), join(folder.path, 'program.mjs')]
  await mkdir(disk)
  const [ring, writer, fixture] = ['../dns/log-ring.ts', './journal-writer.ts', '../../test/query-log-fixture.ts'].map(
    (path) => new URL(path, import.meta.url).href,
  ) as [string, string, string]
  await writeFile(script, journalProgram(ring, writer, fixture))
  const { stdout } = await run('unshare', ['-m', process.execPath, script, disk], { timeout: 60_000 })
  const { atOnce, failure, batches } = JSON.parse(stdout)
  assert.equal(atOnce, 0)
  assert.match(failure, /ENOSPC/)
  assert.deepEqual(batches, [{ file: '000000000001-1500.jsonl', lines: 1500, names: 1500 }])
})
