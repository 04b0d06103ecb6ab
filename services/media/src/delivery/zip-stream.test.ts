import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { temporaryDirectory } from '@hearth/testing'
import { zipStream, type ZipEntry } from './zip-stream.ts'

const at = Date.UTC(2026, 10, 28, 6, 30, 4)

function entryOf(name: string, content: Buffer, chunk = 65_536, size = content.length): ZipEntry {
  const parts = Array.from({ length: Math.ceil(content.length / chunk) }, (_, index) =>
    content.subarray(index * chunk, (index + 1) * chunk),
  )
  return { name, size, modifiedAt: at, open: () => Promise.resolve(Readable.from(parts)) }
}

async function* listed(entries: readonly ZipEntry[]) {
  await Promise.resolve()
  yield* entries
}

const write = (entries: readonly ZipEntry[], limits?: { zip64From: number }) =>
  buffer(Readable.from(zipStream(listed(entries), limits)))

/** Reads an archive with Python's reader, which also compares the checksums. */
const program = `
import hashlib, json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
print(json.dumps([[i.filename, i.file_size, list(i.date_time), hashlib.sha256(archive.read(i)).hexdigest()] for i in archive.infolist()]))
`
const python = spawnSync('python3', ['-c', 'import zipfile']).status === 0
const skip = python ? false : 'needs python3'

async function readBack(archive: Buffer): Promise<[string, number, number[], string][]> {
  await using folder = await temporaryDirectory()
  const file = join(folder.path, 'archive.zip')
  await writeFile(file, archive)
  const { stdout, stderr, status } = spawnSync('python3', ['-c', program, file], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  return JSON.parse(stdout) as [string, number, number[], string][]
}

const digest = async (content: Buffer) =>
  Buffer.from(await crypto.subtle.digest('SHA-256', Uint8Array.from(content))).toString('hex')

for (const [what, limits] of [
  ['small', undefined],
  ['with the fields of large ones', { zip64From: 1 }],
] as const)
  test(`an archive is read back by another program: ${what}`, { skip }, async () => {
    const contents: [string, Buffer][] = [
      ['empty.mp3', Buffer.alloc(0)],
      ['Füße – дом.mp3', Buffer.from('sound')],
      ['exact.mp4', randomBytes(65_535)],
      ['more.mp4', randomBytes(300_001)],
    ]
    const archive = await write(
      contents.map(([name, content], index) => entryOf(name, content, [1000, 65_536, 65_535, 70_000][index])),
      limits,
    )
    const expected = await Promise.all(
      contents.map(async ([name, content]) => [name, content.length, [2026, 11, 28, 6, 30, 4], await digest(content)]),
    )
    assert.deepEqual(await readBack(archive), expected)
  })

test('an archive without files is one all the same', { skip }, async () => {
  assert.deepEqual(await readBack(await write([])), [])
})

test('a file of another size than its entry says ends the archive with an error', async () => {
  for (const size of [3, 5])
    await assert.rejects(write([entryOf('song.mp3', Buffer.from('four'), 2, size)]), /song\.mp3 (?:is longer|ends 1)/)
})
