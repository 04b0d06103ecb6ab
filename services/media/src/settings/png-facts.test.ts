import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import * as fc from 'fast-check'
import { PNG } from 'pngjs'
import { makePng, pngChunk } from '../../test/pictures/make-png.ts'
import { isWhole, PngError, readPngFacts as readFacts } from './png-facts.ts'

const size = { width: 40, height: 50 }
const faultOf = (bytes: Uint8Array) => {
  try {
    readFacts(bytes)
    return undefined
  } catch (error) {
    assert(error instanceof PngError, String(error))
    return error.message
  }
}

test('the header has size, transparency and animation', () => {
  const facts = { ...size, hasAlpha: true, isAnimated: false }
  const readPngFacts = (bytes: Uint8Array) => {
    const { data: _data, unpackedBytes: _bytes, ...rest } = readFacts(bytes)
    return rest
  }
  assert.deepEqual(readPngFacts(makePng(size)), facts)
  assert.deepEqual(readPngFacts(makePng({ ...size, depth: 16 })), facts)
  assert.deepEqual(readPngFacts(makePng({ ...size, colour: 4 })), facts)
  assert.deepEqual(readPngFacts(makePng({ ...size, colour: 3, extra: [pngChunk('tRNS', Buffer.of(9))] })), facts)
  assert.equal(readPngFacts(makePng({ ...size, colour: 3 })).hasAlpha, false)
  assert.equal(readPngFacts(makePng({ ...size, colour: 2 })).hasAlpha, false)
  assert.equal(readPngFacts(makePng({ ...size, colour: 0 })).hasAlpha, false)
  assert.equal(readPngFacts(makePng({ ...size, extra: [pngChunk('acTL', Buffer.alloc(8))] })).isAnimated, true)
  assert.deepEqual(readPngFacts(PNG.sync.write(new PNG(size))), facts, 'of another encoder')
  assert.equal(readPngFacts(readFileSync(`${import.meta.dirname}/../../assets/watermark.png`)).hasAlpha, true)
})

test('an incomplete PNG is refused with the reason', () => {
  const good = makePng(size)
  assert.equal(faultOf(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')), 'it is not a PNG')
  assert.equal(faultOf(new Uint8Array()), 'it is not a PNG')
  assert.equal(faultOf(good.subarray(0, 8)), 'it is cut off')
  assert.equal(faultOf(good.subarray(0, -1)), 'it is cut off')
  assert.equal(faultOf(good.subarray(0, -12)), 'it is cut off')
  const flipped = Buffer.from(good)
  flipped[45] = (flipped[45] ?? 0) ^ 1
  assert.equal(faultOf(flipped), 'it is damaged')
  assert.equal(faultOf(Buffer.concat([good.subarray(0, 8), good.subarray(33)])), 'it has no header')
  assert.equal(faultOf(makePng({ width: 0, height: 5 })), 'its header makes no sense')
  const begin = Buffer.concat([good.subarray(0, 33), pngChunk('IEND')])
  assert.equal(faultOf(begin), 'it contains no picture')
  assert.equal(faultOf(Buffer.concat([good, Buffer.from('<html>')])), undefined, 'what follows the end is nobody’s')
})

test('the decompressed size must equal what the header declares', async () => {
  const content = (bytes: number) => makePng({ width: 4, height: 4, content: deflateSync(Buffer.alloc(bytes)) })
  assert.equal(await isWhole(readFacts(content(4 * 17))), true)
  assert.equal(await isWhole(readFacts(content(4 * 17 - 1))), false)
  assert.equal(await isWhole(readFacts(content(4 * 17 + 1))), false)
  assert.equal(await isWhole(readFacts(content(50_000_000))), false)
  assert.equal(await isWhole(readFacts(makePng({ width: 4, height: 4, content: Buffer.alloc(9) }))), false)
  const cut = deflateSync(Buffer.alloc(4 * 17)).subarray(0, -5)
  assert.equal(await isWhole(readFacts(makePng({ width: 4, height: 4, content: cut }))), false)
  for (const words of [[], ['-pix_fmt', 'rgba64be'], ['-pred', 'mixed'], ['-pix_fmt', 'monob']])
    assert.equal(await isWhole(readFacts(drawn(words))), true, words.join(' '))
})

test('an interlaced picture of another encoder has the computed size', async () => {
  // Seven columns and three rows: some of the seven passes are empty.
  const one = PNG.sync.read(makePng({ width: 7, height: 3 }))
  const rows = [
    [1, 1],
    [1, 1],
    [0, 0],
    [2, 1],
    [4, 1],
    [3, 2],
    [7, 1],
  ].map(([columns = 0, rows = 0]) => Buffer.alloc(columns === 0 ? 0 : rows * (1 + columns * 4)))
  const interlaced = makePng({
    width: one.width,
    height: one.height,
    content: deflateSync(Buffer.concat(rows)),
    isInterlaced: true,
  })
  assert.equal(PNG.sync.read(interlaced).width, 7)
  assert.equal(await isWhole(readFacts(interlaced)), true)
})

function drawn(words: readonly string[]): Buffer {
  const input = ['-f', 'lavfi', '-i', 'testsrc2=size=50x34', '-frames:v', '1', '-f', 'image2pipe', '-c:v', 'png']
  const { stdout, stderr } = spawnSync('ffmpeg', ['-v', 'error', ...input, ...words, 'pipe:1'])
  assert(stdout.length > 0, String(stderr))
  return stdout
}

test('any bytes are handled without an unexpected error', () => {
  const good = makePng({ width: 3, height: 3 })
  fc.assert(
    fc.property(fc.nat(good.length - 1), fc.nat(255), (at, value) => {
      const changed = Buffer.from(good)
      changed[at] = value
      faultOf(changed)
      faultOf(good.subarray(0, at))
    }),
  )
})
