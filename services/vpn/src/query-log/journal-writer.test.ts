import assert from 'node:assert/strict'
import { appendFile, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '@hearth/testing'
import { entryOf } from '../../test/query-log-fixture.ts'
import { createRingMemory, LogRing } from '../dns/log-ring.ts'
import { batchesIn } from './journal-files.ts'
import { JournalWriter } from './journal-writer.ts'

async function openWriter(folder: string, retentionDays = 7) {
  const memory = createRingMemory(1 << 20)
  const ring = new LogRing(memory)
  const writer = new JournalWriter(folder, [memory], { retentionDays, upstreams: ['9.9.9.9'] })
  writer.start()
  const log = (...names: readonly string[]) => {
    for (const name of names) ring.append(entryOf({ name }))
    ring.publish()
    return writer.write()
  }
  return { writer, ring, log }
}

test('queries become batches that others can read, for their owner alone', async () => {
  await using folder = await temporaryDirectory('journal')
  const path = join(folder.path, 'queries')
  const { writer, log } = await openWriter(path)
  assert.equal(log('a.example', 'b.example'), 2)
  writer.closeWhenDue(Date.now())
  assert.deepEqual(batchesIn(path), [], 'it may grow a little')
  writer.closeWhenDue(Date.now() + 3000)
  const [batch] = batchesIn(path)
  assert.deepEqual([batch?.number, batch?.count], [1, 2])
  const lines = (await readFile(join(path, batch?.file ?? ''), 'utf8')).trim().split('\n')
  const [first] = lines.map((line) => JSON.parse(line) as unknown[])
  assert.equal(Buffer.from(String(first?.[2]), 'base64url').toString('latin1'), '\x01a\x07example\0')
  assert.equal(first?.[9], '9.9.9.9')
  assert.equal((await stat(join(path, batch?.file ?? ''))).mode & 0o777, 0o600)
  assert.equal((await stat(path)).mode & 0o777, 0o700)
})

test('while batches wait they are fewer and longer, and never longer than a message may be', async () => {
  await using folder = await temporaryDirectory('journal')
  const { writer, ring, log } = await openWriter(folder.path)
  log('a.example')
  writer.closeWhenDue(Date.now() + 3000)
  log('b.example')
  writer.closeWhenDue(Date.now() + 3000)
  assert.equal(batchesIn(folder.path).length, 1)
  writer.closeWhenDue(Date.now() + 31_000)
  assert.equal(batchesIn(folder.path).length, 1)
  writer.closeWhenDue(Date.now() + 301_000)
  assert.equal(batchesIn(folder.path).length, 2)
  const long = Array.from({ length: 4 }, (_, n) => String(n).repeat(60)).join('.')
  for (let n = 0; n < 5000; n += 1) ring.append(entryOf({ name: n % 2 === 0 ? long : 'c.example' }))
  ring.publish()
  while (writer.write() > 0) writer.closeWhenDue(Date.now())
  const counts = batchesIn(folder.path).map(({ count }) => count)
  assert.deepEqual(counts, [1, 1, 2000, 2000])
  await rm(join(folder.path, batchesIn(folder.path).at(-1)?.file ?? ''))
  writer.closeWhenDue(Date.now() + 3000)
  assert.equal(batchesIn(folder.path).at(-1)?.number, 5, 'the last one is sent, so this one may go')
  for (const { file } of batchesIn(folder.path)) assert.ok((await stat(join(folder.path, file))).size < 1_000_000)
})

test('what a program that was killed left behind is a batch, and no number is given twice', async () => {
  await using folder = await temporaryDirectory('journal')
  const first = await openWriter(folder.path)
  first.log('a.example')
  first.writer.closeWhenDue(Date.now() + 3000)
  first.log('b.example', 'c.example')
  await appendFile(join(folder.path, 'open.jsonl'), '[17')
  await openWriter(folder.path)
  assert.deepEqual(
    batchesIn(folder.path).map(({ number, count }) => [number, count]),
    [
      [1, 1],
      [2, 2],
    ],
  )
  const left = await readFile(join(folder.path, batchesIn(folder.path)[1]?.file ?? ''), 'utf8')
  assert.deepEqual([left.split('\n').length, left.endsWith('\n')], [3, true], 'a line that was cut off is gone')
  for (const { file } of batchesIn(folder.path)) await rm(join(folder.path, file))
  await writeFile(join(folder.path, 'position.json'), JSON.stringify({ last: 41 }))
  const third = await openWriter(folder.path)
  third.log('d.example')
  third.writer.closeWhenDue(Date.now(), true)
  assert.equal(batchesIn(folder.path)[0]?.number, 42)
})

test('without retention nothing reaches the disk', async () => {
  await using folder = await temporaryDirectory('journal')
  const { writer, log } = await openWriter(folder.path, 0)
  log('a.example')
  writer.closeWhenDue(Date.now(), true)
  assert.deepEqual(batchesIn(folder.path), [])
  assert.equal(writer.waiting, 0)
})

test('what cannot be written waits, and is written later', async () => {
  await using folder = await temporaryDirectory('journal')
  const path = join(folder.path, 'queries')
  const { writer, log } = await openWriter(path)
  await rm(path, { recursive: true })
  assert.equal(log('a.example'), 0)
  assert.match(writer.failure ?? '', /ENOENT/)
  await mkdir(path)
  assert.equal(writer.write(), 1)
  assert.equal(writer.failure, null)
})
