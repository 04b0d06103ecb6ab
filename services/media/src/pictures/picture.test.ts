import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { PNG } from 'pngjs'
import { readPicture } from './picture.ts'

/** A picture made by the real ffmpeg. */
function draw(size: string, words: readonly string[]): Buffer {
  const input = ['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=1:duration=1`, '-frames:v', '1']
  const { stdout, status, stderr } = spawnSync('ffmpeg', ['-v', 'error', '-nostdin', ...input, ...words, 'pipe:1'])
  assert.equal(status, 0, String(stderr))
  return stdout
}

test('pictures of real encoders are recognised with their sizes', () => {
  const jpeg = draw('320x200', ['-f', 'image2pipe', '-c:v', 'mjpeg'])
  assert.deepEqual(readPicture(jpeg), { media: 'image/jpeg', width: 320, height: 200 })
  // Arithmetic coding, which ffmpeg and browsers do not read.
  const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0]))
  const other = Buffer.from(jpeg)
  other[frame + 1] = 0xc9
  assert.equal(readPicture(other), undefined)
  const png = draw('34x18', ['-f', 'image2pipe', '-c:v', 'png'])
  assert.deepEqual(readPicture(png), { media: 'image/png', width: 34, height: 18 })
  const lossy = draw('320x202', ['-f', 'webp', '-c:v', 'libwebp'])
  assert.deepEqual(readPicture(lossy), { media: 'image/webp', width: 320, height: 202 })
  const lossless = draw('640x4', ['-f', 'webp', '-c:v', 'libwebp', '-lossless', '1'])
  assert.deepEqual(readPicture(lossless), { media: 'image/webp', width: 640, height: 4 })
  const transparent = draw('64x48', ['-pix_fmt', 'yuva420p', '-f', 'webp', '-c:v', 'libwebp'])
  assert.deepEqual(readPicture(transparent), { media: 'image/webp', width: 64, height: 48 })
})

test('a JPEG with any segments before its frame is recognised', () => {
  const plain = draw('48x24', ['-f', 'image2pipe', '-c:v', 'mjpeg'])
  const exif = Buffer.concat([Buffer.from([0xff, 0xe1, 0x40, 0x02]), Buffer.alloc(0x4000)])
  const padded = Buffer.concat([plain.subarray(0, 2), exif, Buffer.from([0xff, 0xff]), plain.subarray(2)])
  assert.deepEqual(readPicture(padded), { media: 'image/jpeg', width: 48, height: 24 })
})

test('an unknown or oversized picture is rejected', () => {
  assert.equal(
    readPicture(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')),
    undefined,
  )
  assert.equal(readPicture(Buffer.from('<!doctype html><html></html>')), undefined)
  assert.equal(readPicture(Buffer.from('GIF89a\x01\0\x01\0\0\0\0;', 'latin1')), undefined)
  assert.equal(readPicture(Buffer.alloc(0)), undefined)
  const bomb = PNG.sync.write(new PNG({ width: 1, height: 1 }))
  bomb.writeUInt32BE(8000, 16)
  bomb.writeUInt32BE(5000, 20)
  assert.deepEqual(readPicture(bomb), { media: 'image/png', width: 8000, height: 5000 })
  bomb.writeUInt32BE(5001, 20)
  assert.equal(readPicture(bomb), undefined)
  bomb.writeUInt32BE(0, 20)
  assert.equal(readPicture(bomb), undefined)
})

test('any bytes are handled without an error', () => {
  const begin = fc.constantFrom(
    Buffer.from([0xff, 0xd8, 0xff]),
    Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'),
    Buffer.from('RIFF\0\0\0\0WEBPVP8X', 'latin1'),
    Buffer.from('RIFF\0\0\0\0WEBPVP8 ', 'latin1'),
    Buffer.alloc(0),
  )
  fc.assert(
    fc.property(begin, fc.uint8Array({ maxLength: 80 }), (head, rest) => {
      const facts = readPicture(Buffer.concat([head, rest]))
      assert(facts === undefined || facts.width * facts.height <= 40_000_000)
    }),
  )
})
