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
  const { log, writer } = createTestLog(disk + '/query-log.db', 30, 1 << 18)
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
