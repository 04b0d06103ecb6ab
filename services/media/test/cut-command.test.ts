import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { runCommand, temporaryDirectory } from '@hearth/testing'
import { emptyContent } from '../src/workbench/schema.ts'
import { knows, startMedia } from './in-process.ts'
import { startPlatform } from './platform/platform.ts'

test('hearth media cut writes the parts that are named, or saved in the workbench, and says what is wrong', async () => {
  await using platform = await startPlatform()
  await using media = await startMedia({ ...knows(platform.host), API_TOKENS: 'on' })
  await using folder = await temporaryDirectory()
  const cut = (...args: string[]) =>
    runCommand(['media', 'cut', '-o', folder.path, ...args], { HEARTH_MEDIA_URL: media.url })
  const { id } = await media.submit(platform.page('sound.m4a', { title: 'Night drive' }))
  await media.reach(id, 'analysis_done')

  const named = await cut(id, '--part', '0:01-2.5=Intro', '0:03-0:04', '--format', 'flac', '--tempo', '90')
  assert.deepEqual([named.code, named.stderr], [0, ''])
  assert.deepEqual(
    named.stdout
      .trim()
      .split('\n')
      .map((path) => path.slice(folder.path.length + 1)),
    ['Night drive (1) - 01 Intro.flac', 'Night drive (1) - 02.flac'],
  )
  const part = { id: 'a', name: 'Saved', start: 1, end: 2, fade_in: 0, fade_out: 0, loop: null }
  await media.json('PUT', `/api/jobs/${id}/workbench`, { json: { revision: 0, ...emptyContent, parts: [part] } })
  const saved = await cut(id)
  assert.deepEqual([saved.code, saved.stdout], [0, `${folder.path}/Night drive (1) - Saved.wav\n`])
  assert.equal(readdirSync(folder.path).length, 3)

  for (const [args, problem] of [
    [['11111111-1111-4111-8111-111111111111'], /There is no such job/],
    [[id, '--part', 'soon'], /--part: soon/],
    [[id, '--part', '1-99'], /parts.0 ends at 99.000 seconds/],
    [[id, '--tempo', 'fast'], /--tempo: fast/],
    [[id, '--format', 'exe'], /format must be/],
    [[id, '--output', '/none'], /--output: \/none is no folder/],
    [[id, '--server', 'http://127.0.0.1:9'], /does not answer/],
  ] as const) {
    const refused = await cut(...args)
    assert.deepEqual([refused.code, refused.stdout], [1, ''], args.join(' '))
    assert.match(refused.stderr, problem)
  }
})
