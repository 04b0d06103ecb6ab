import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createPostgresDatabase, eventually, postgresObstacle } from '@hearth/testing'
import { startMedia } from './in-process.ts'
import { createSigner } from './release-server/signer.ts'
import { later, startUpdating } from './release-server/updating.ts'

test('with a pinned key the release signature is checked, too', async () => {
  using signer = createSigner()
  await using world = await startUpdating({}, { signer })
  const { releases, media, update, inUse } = world
  mkdirSync(join(media.folder, 'tools/yt-dlp'), { recursive: true })
  writeFileSync(join(media.folder, 'tools/yt-dlp/public.key'), signer.publicKey)
  releases.publish(later(1), 'wrong-signature')
  const wrong = await update()
  assert.deepEqual([wrong.status, /signature of the release is not good/.test(wrong.body.detail)], [502, true])
  releases.publish(later(2), 'no-signature')
  assert.match((await update()).body.detail, /has no SHA2-256SUMS\.sig/)
  releases.publish(later(3))
  const { body } = await update()
  assert.match(body.message, /Its checksum and signature were checked/)
  assert.equal(await inUse(), later(3))
})

const obstacle = postgresObstacle()
test('another process of the installation downloads the identical program', { skip: obstacle }, async () => {
  const shared = { DATABASE_URL: await createPostgresDatabase(), SECRET_KEY: randomBytes(32).toString('base64') }
  await using world = await startUpdating(shared)
  await using other = await startMedia({ ...shared, UPDATES_BASE_URL: world.releases.url, WORKERS: '0' })
  world.releases.publish(later(1))
  assert.equal((await world.update()).body.ok, true)
  const { tools, chosenYtDlp } = other.service.app.core
  await eventually(
    () => tools.ytDlp.version(),
    (version) => version === later(1),
    { seconds: 20 },
  )
  assert(chosenYtDlp.versions.pathOf(later(1)).startsWith(other.folder))
  assert(chosenYtDlp.versions.has(later(1)))
})

test('an outdated yt-dlp is not used, and the job says so', async () => {
  await using media = await startMedia()
  const old = join(media.folder, 'old-yt-dlp')
  writeFileSync(old, '#!/bin/sh\necho 2023.03.04\n', { mode: 0o700 })
  await media.restart({ YTDLP_PATH: old })
  const job = await media.submit('https://www.youtube.com/watch?v=aaaaaaaaaaa')
  const failed = await media.reach(job.id, 'error')
  assert.match(failed.message ?? '', /yt-dlp is too old.*2023\.03\.04.*2025\.04/)
})
