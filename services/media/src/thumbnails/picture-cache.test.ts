import assert from 'node:assert/strict'
import { readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createManualClock } from '@hearth/runtime'
import { temporaryDirectory } from '@hearth/testing'
import { PNG } from 'pngjs'
import { PictureCache } from './picture-cache.ts'

const day = 86_400_000
const picture = { bytes: PNG.sync.write(new PNG({ width: 2, height: 2 })), media: 'image/png' } as const
const keyOf = (digit: string) => digit.repeat(64)

test('a picture is cached for a week with its detected type, then removed', async () => {
  await using place = await temporaryDirectory('pictures')
  const clock = createManualClock(Date.UTC(2027, 0, 1))
  const cache = new PictureCache({ folder: place.path, clock })
  await cache.put(keyOf('a'), picture)
  assert.deepEqual((await cache.find(keyOf('a')))?.media, 'image/png')
  assert.equal(await cache.find(keyOf('b')), undefined)
  assert.equal((await stat(join(place.path, `${keyOf('a')}.picture`))).mode & 0o777, 0o600)
  clock.advance(7 * day - 1000)
  await cache.tidy()
  assert.equal(await cache.has(keyOf('a')), true)
  clock.advance(2000)
  assert.equal(await cache.has(keyOf('a')), false, 'too old, though the file is still there')
  assert.equal(await cache.find(keyOf('a')), undefined)
  await cache.tidy()
  assert.deepEqual(await readdir(place.path), [])
})

test('the oldest pictures are evicted, also those from an earlier run', async () => {
  await using place = await temporaryDirectory('pictures')
  const clock = createManualClock(Date.UTC(2027, 0, 1))
  const parts = { folder: place.path, clock, maxBytes: picture.bytes.length * 2 + 1 }
  const first = new PictureCache(parts)
  for (const digit of ['a', 'b', 'c']) {
    await first.put(keyOf(digit), picture)
    clock.advance(1000)
  }
  const kept = async () =>
    (await readdir(place.path)).map((name) => name[0] ?? '').sort((left, right) => left.localeCompare(right))
  assert.deepEqual(await kept(), ['b', 'c'])
  await new PictureCache(parts).put(keyOf('d'), picture)
  assert.deepEqual(await kept(), ['c', 'd'])
})

test('a corrupted picture is not served, and leftovers of a crash are removed', async () => {
  await using place = await temporaryDirectory('pictures')
  const clock = createManualClock(Date.now())
  const cache = new PictureCache({ folder: place.path, clock })
  await cache.put(keyOf('a'), picture)
  await writeFile(join(place.path, `${keyOf('a')}.picture`), '<html>')
  await writeFile(join(place.path, `${keyOf('b')}.picture.1234.tmp`), 'half')
  assert.equal(await cache.find(keyOf('a')), undefined)
  await cache.tidy()
  assert.equal((await readdir(place.path)).length, 2, 'it may be on its way')
  clock.advance(2 * 3_600_000)
  await cache.tidy()
  assert.deepEqual(await readdir(place.path), [`${keyOf('a')}.picture`])
})
