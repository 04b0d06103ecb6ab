import assert from 'node:assert/strict'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { finishedJob } from '../../test/job-row.ts'
import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import { MediaFailure } from '../tools/media-failure.ts'
import { shareArchive } from './share-archive.ts'

const jobs = ['Good', 'Broken', 'Fine'].map((video_title) => finishedJob({ video_title, codec: 'opus' }))
const files = jobs.map((job, index) => ({ position: index + 1, job }))

/** An archive in which one sound cannot be converted, for this reason. */
function archive(failure: Error): Promise<Buffer> {
  const artifacts = {
    stat: () => Promise.resolve({ size: 4, modifiedAt: 0 }),
    open: () => Promise.resolve([Buffer.from('beep')]),
  } as unknown as ArtifactStore
  const renditions = {
    provide: ({ id }: { id: string }) => (id === jobs[1]?.id ? Promise.reject(failure) : Promise.resolve('sound.mp3')),
  }
  return buffer(shareArchive({ artifacts, renditions }, files))
}

test('a sound that cannot be converted is left out, and the archive is whole', async () => {
  const text = (await archive(new MediaFailure('conversion', 'no sound in it'))).toString('latin1')
  assert.deepEqual(
    ['Good', 'Broken', 'Fine'].map((title) => text.includes(title)),
    [true, false, true],
  )
  assert.ok(text.includes('PK\u0005\u0006'))
})

test('a full disk ends the archive', async () => {
  await assert.rejects(archive(new MediaFailure('disk_full')))
})
