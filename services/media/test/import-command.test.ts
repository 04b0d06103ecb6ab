import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCommand, temporaryDirectory } from '@hearth/testing'
import type { Intake } from '../src/intake/schema.ts'
import type { Job } from '../src/jobs/schema.ts'
import { knows, startMedia } from './in-process.ts'
import { startPlatform } from './platform/platform.ts'

test('hearth media import takes the addresses of a file, and says what became of each', async () => {
  await using platform = await startPlatform()
  await using media = await startMedia(knows(platform.host))
  await using folder = await temporaryDirectory()
  const run = (...args: string[]) => runCommand(['media', 'import', ...args], { HEARTH_MEDIA_URL: media.url })
  const urls = ['a', 'b'].map((id) => platform.page('sound.m4a', { id }))
  const file = join(folder.path, 'list.txt')
  await writeFile(file, `# music\r\n${urls[0]}\n\n${urls[1]}\n${urls[0]}\nhttps://example.org/x\n`)
  const done = await run(file)
  assert.deepEqual([done.code, done.stderr], [0, ''])
  const lines = done.stdout.trim().split('\n').toSorted()
  assert.deepEqual(
    lines.map((line) => line.split('\t').slice(0, 2)),
    [
      ['added', urls[0]],
      ['added', urls[1]],
      ['duplicate', urls[0]],
      ['refused', 'https://example.org/x'],
    ],
  )
  const jobs = (await media.json<Job[]>('GET', '/api/jobs')).body.length
  assert.equal((await media.json<Intake>('GET', '/api/imports')).body.waiting + jobs, 2)
  await writeFile(file, '# nothing\n')
  for (const [args, problem] of [
    [[file], /has no addresses/],
    [[join(folder.path, 'none')], /cannot read/],
  ] as const) {
    const refused = await run(...args)
    assert.deepEqual([refused.code, refused.stdout], [1, ''])
    assert.match(refused.stderr, problem)
  }
})
