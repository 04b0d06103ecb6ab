import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { z } from 'zod'
import {
  box,
  commaList,
  createKeyedQueue,
  lockDataDirectory,
  openDataDirectory,
  parseSettings,
  portNumber,
  QueueFull,
  createFileAtomic,
  writeFileAtomic,
} from './index.ts'

function folder(): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), 'hearth-runtime-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

test('a list setting that is not set has only the default of its schema', () => {
  const schema = z.object({ WITHOUT: commaList.optional(), WITH: commaList.default(['a']) })
  assert.deepEqual(parseSettings(schema, { WITHOUT: '' }), { WITH: ['a'] })
})

test('a port number is accepted in decimal digits only', () => {
  const schema = z.object({ PORT: portNumber.default(8101) })
  assert.deepEqual([parseSettings(schema, { PORT: '0' }).PORT, parseSettings(schema, {}).PORT], [0, 8101])
  for (const wrong of [' ', '0x50', '1e3', '80.0', '-1', '65536', ' 80'])
    assert.throws(() => parseSettings(schema, { PORT: wrong }), /PORT: must be a port number/)
})

test('a data directory is created with mode 0700, and an unusable path is an error', () => {
  using place = folder()
  const path = openDataDirectory(join(place.path, 'a/b'))
  assert.equal(statSync(path).mode & 0o777, 0o700)
  assert.throws(() => openDataDirectory('/proc/nothing/here'), /DATA_DIR: cannot use/)
})

test('a data directory has one owner at a time and is released when the owner dies', async () => {
  using place = folder()
  const lock = lockDataDirectory(place.path)
  assert.throws(() => lockDataDirectory(place.path), /in use by another running service/)
  lock.release()
  // The owner keeps no reference to its lock, and collects its garbage.
  const program = `import { lockDataDirectory } from ${JSON.stringify(join(import.meta.dirname, 'index.ts'))}
    lockDataDirectory(process.argv[1])
    setInterval(() => { gc(); console.log('locked') }, 10)`
  const other = spawn(process.execPath, ['--expose-gc', '--input-type=module-typescript', '-e', program, place.path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    for (let times = 0; times < 3; times++) await once(other.stdout, 'data')
    assert.throws(() => lockDataDirectory(place.path), /in use/)
  } finally {
    other.kill('SIGKILL')
  }
  if (other.signalCode === null) await once(other, 'exit')
  lockDataDirectory(place.path).release()
})

test('a file is written completely or not at all, and leaves no temporary file', async () => {
  using place = folder()
  const path = join(place.path, 'file')
  await writeFileAtomic(path, 'one')
  await Promise.all(Array.from({ length: 20 }, (_, index) => writeFileAtomic(path, String(index).repeat(10_000))))
  const content = readFileSync(path, 'utf8')
  assert.match(content, /^(\d+?)\1{9999}$/)
  assert.equal(statSync(path).mode & 0o777, 0o600)
  assert.deepEqual(await readdir(place.path), ['file'])
  await assert.rejects(writeFileAtomic(join(place.path, 'none/file'), 'x'), /ENOENT/)
})

test('a file created several times at once keeps the content of the first', async () => {
  using place = folder()
  const path = join(place.path, 'file')
  const made = await Promise.all(Array.from({ length: 20 }, (_, index) => createFileAtomic(path, `${index}`)))
  assert.equal(made.filter(Boolean).length, 1)
  assert.equal(readFileSync(path, 'utf8'), `${made.indexOf(true)}`)
  assert.equal(await createFileAtomic(path, 'later'), false)
  assert.deepEqual(await readdir(place.path), ['file'])
  await assert.rejects(createFileAtomic(join(place.path, 'none/file'), 'x'), /ENOENT/)
})

test('tasks of one key run in order, of two keys in parallel; a failure does not stop the queue, a full one refuses', async () => {
  const queue = createKeyedQueue(2)
  const order: string[] = []
  const gate = Promise.withResolvers<undefined>()
  const first = queue.run('a', async () => {
    await gate.promise
    order.push('a1')
    throw new Error('no')
  })
  const second = queue.run('a', async () => void order.push('a2'))
  await queue.run('b', async () => void order.push('b'))
  const third = queue.run('a', async () => void order.push('a3'))
  await assert.rejects(
    queue.run('a', () => Promise.resolve()),
    QueueFull,
  )
  gate.resolve(undefined)
  await assert.rejects(first, /no/)
  await Promise.all([second, third])
  await queue.idle()
  assert.deepEqual(order, ['b', 'a1', 'a2', 'a3'])
})

test('a box pads every line to the same width', () => {
  const lines = box(['one', 'longer line']).split('\n')
  assert.equal(new Set(lines.map((line) => line.length)).size, 1)
})
