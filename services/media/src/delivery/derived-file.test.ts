import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { temporaryDirectory } from '@hearth/testing'
import { writeWav } from '../../test/music/audio-files.ts'
import { Problem } from '../problems.ts'
import { Ffmpeg } from '../tools/ffmpeg.ts'
import { startGuardian } from '../tools/guardian.ts'
import { createToolRunner } from '../tools/run-tool.ts'
import { conversionProblem } from './derived-file.ts'

const guardian = startGuardian()
after(() => guardian.close())

test('a disk that is full while a file is written is said, and the request may come again', async () => {
  await using folder = await temporaryDirectory()
  const sound = await writeWav(join(folder.path, 'sound.wav'), 8000, [new Float32Array(80_000).fill(0.1)])
  const ffmpeg = new Ffmpeg({
    ffmpeg: '/usr/bin/ffmpeg',
    ffprobe: '/usr/bin/ffprobe',
    runner: createToolRunner(guardian),
  })
  const { signal } = new AbortController()
  // Every write to this device fails as one to a full disk does.
  const conversion = { inputs: [sound], args: ['-f', 'wav'], output: '/dev/full', timeoutMs: 30_000, signal }
  const failure: unknown = await ffmpeg.convert(conversion).catch((error: unknown) => error)
  for (const error of [failure, Object.assign(new Error('write'), { code: 'ENOSPC' })]) {
    const problem = conversionProblem(error)
    assert.ok(problem instanceof Problem)
    assert.equal(problem.status, 503)
    assert.match(problem.message, /not enough space left on the disk/)
  }
})
