import assert from 'node:assert/strict'
import { appendFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '@hearth/testing'
import { LineBuffer } from './line-buffer.ts'

const lines = (from: number, count: number, width = 10) =>
  Array.from({ length: count }, (_, index) => String(from + index).padStart(width, '0'))

/** Takes everything there is, oldest first. */
async function drain(buffer: LineBuffer): Promise<string[]> {
  const all: string[] = []
  for (let batch = await buffer.take(); batch !== undefined; batch = await buffer.take()) {
    all.push(...batch.lines)
    await buffer.remove(batch.number)
  }
  return all
}

test('lines come out in the order in which they went in, over restarts too', async () => {
  await using folder = await temporaryDirectory('buffer')
  const first = await LineBuffer.open(folder.path, 1e9)
  for (let round = 0; round < 20; round += 1) await first.add(lines(round * 2000, 2000))
  assert.ok((await readdir(folder.path)).length >= 2)
  const second = await LineBuffer.open(folder.path, 1e9)
  assert.equal(second.bytes, 20 * 2000 * 11)
  await second.add(lines(40_000, 5))
  assert.deepEqual(await drain(second), lines(0, 40_005))
  assert.deepEqual([second.bytes, await readdir(folder.path)], [0, []])
})

test('lines that were given back are the first again, and none is added to those that a request has', async () => {
  await using folder = await temporaryDirectory('buffer')
  const buffer = await LineBuffer.open(folder.path, 1e9)
  await buffer.add(lines(0, 3))
  const batch = await buffer.take()
  await buffer.add(lines(3, 2))
  assert.deepEqual(batch?.lines, lines(0, 3))
  buffer.release()
  assert.deepEqual(await drain(buffer), lines(0, 5))
})

test('when the buffer is full the oldest lines go, and are counted', async () => {
  await using folder = await temporaryDirectory('buffer')
  const buffer = await LineBuffer.open(folder.path, 600_000)
  let lost = 0
  for (let round = 0; round < 60; round += 1) {
    lost += await buffer.add(lines(round * 400, 400, 99))
    assert.ok(buffer.bytes <= 600_000 + 40_000, `${buffer.bytes} bytes`)
  }
  const left = await drain(buffer)
  assert.equal(lost + left.length, 60 * 400)
  assert.ok(lost > 0)
  assert.deepEqual(left, lines(lost, left.length, 99))
})

test('a line that a crash cut is left out, and what is no buffer is removed', async () => {
  await using folder = await temporaryDirectory('buffer')
  const buffer = await LineBuffer.open(folder.path, 1e9)
  await buffer.add(lines(0, 2))
  const [name = ''] = await readdir(folder.path)
  await appendFile(join(folder.path, name), 'inverter,device=ma')
  await writeFile(join(folder.path, '000000000002.lp.8a.tmp'), 'half')
  await writeFile(join(folder.path, '000000000003.lp'), 'only a part')
  const again = await LineBuffer.open(folder.path, 1e9)
  await again.add(lines(2, 1))
  assert.deepEqual(await drain(again), lines(0, 3))
})
