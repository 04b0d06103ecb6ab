import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { mkdtemp, rm, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import { parseArtifactLocation } from '../../src/artifacts/artifact-location.ts'
import { openArtifacts } from '../../src/artifacts/open-artifacts.ts'
import { storageFixture, testFolder } from './storage-fixture.ts'

/** Starts a process that puts a file, and returns what ends it as a crash would. */
function startPut(words: readonly string[], environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'put-and-die.ts'), ...words], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  return async () => {
    child.kill('SIGKILL')
    await ended
  }
}

test('a process that dies during a put to object storage leaves nothing visible', async (t) => {
  const { folder, storage, setting, environment, dataDirectory, open } = await storageFixture(t)
  const store = await open()
  const [fresh, known] = [randomUUID(), randomUUID()]
  const path = join(folder, 'small')
  await writeFile(path, 'older')
  await store.put(known, 'a', path)
  for (const [jobId, operation] of [
    [fresh, 'UploadPart'],
    [known, 'CompleteMultipartUpload'],
  ] as const) {
    const file = join(folder, jobId)
    await writeFile(file, Buffer.alloc(20 * 1024 * 1024))
    storage.fail(operation, 'hang')
    const kill = startPut([setting, dataDirectory, jobId, 'a', file], environment)
    const last = () => storage.calls.at(-1)?.operation
    await eventually(last, (seen) => seen === operation, { everyMs: 10 })
    await kill()
    assert.ok(existsSync(file))
  }
  assert.deepEqual([await store.stat(fresh, 'a'), await store.list(fresh)], [undefined, []])
  assert.equal((await buffer((await store.open(known, 'a'))!)).toString(), 'older')
  assert.deepEqual(
    (await Array.fromAsync(store.jobs())).map(({ jobId }) => jobId),
    [known],
  )

  // The parts may belong to a process that lives; a day later they do not.
  await open()
  assert.equal(storage.files.uploads.size, 2)
  for (const upload of storage.files.uploads.values()) upload.initiatedAt -= 25 * 3_600_000
  const foreign = storage.files.beginUpload({ bucket: 'media', key: 'homes/a', contentType: 'x' })
  foreign.initiatedAt = 0
  await open()
  assert.deepEqual([...storage.files.uploads.keys()], [foreign.id])
})

test('a process that dies during a copy to a directory leaves nothing visible', async (t) => {
  const target = await testFolder(t)
  // Another file system, so that the file cannot just be renamed.
  const other = '/dev/shm'
  if (!existsSync(other) || statSync(other).dev === statSync(target).dev) {
    t.skip('there is no second file system')
    return
  }
  const source = await mkdtemp(join(other, 'hearth-put-'))
  t.after(() => rm(source, { recursive: true, force: true }))
  const file = join(source, 'large')
  await writeFile(file, '')
  const size = 300 * 1024 * 1024
  await truncate(file, size)
  const directory = join(target, 'artifacts')
  const jobId = randomUUID()
  const kill = startPut([directory, target, jobId, 'a', file])
  const arrivals = join(directory, '.arrivals')
  await eventually(
    () => existsSync(arrivals) && readdirSync(arrivals).length > 0,
    (isThere) => isThere,
    { everyMs: 1 },
  )
  await kill()
  const open = () => openArtifacts(parseArtifactLocation(directory), { dataDirectory: target })
  const store = await open()
  assert.deepEqual([await store.stat(jobId, 'a'), await store.list(jobId)], [undefined, []])
  assert.deepEqual(await Array.fromAsync(store.jobs()), [])
  assert.equal(statSync(file).size, size)

  // The half copy may belong to a process that lives; a day later it does not.
  const [half = ''] = readdirSync(arrivals)
  assert.ok(half !== '')
  const longAgo = new Date(Date.now() - 25 * 3_600_000)
  await utimes(join(arrivals, half), longAgo, longAgo)
  await open()
  assert.deepEqual(readdirSync(arrivals), [])

  await truncate(file, 5 * 1024 * 1024)
  await store.put(jobId, 'a', file)
  assert.equal((await store.stat(jobId, 'a'))?.size, 5 * 1024 * 1024)
  assert.ok(!existsSync(file))
})
