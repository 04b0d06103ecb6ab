import assert from 'node:assert/strict'
import { chmod, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { runConcurrently, temporaryDirectory } from '@hearth/testing'
import { openStorage } from './open.ts'
import { findSecret, secretFile } from './secret.ts'

/** Opens new data in each of some directories at agreed times, with a generated secret. */
const opening = `
import { mkdirSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { openStorage } from ${JSON.stringify(join(import.meta.dirname, 'open.ts'))}
const [folder, begin] = process.argv.slice(1)
for (let index = 0; index < 12; index++) {
  const dataDirectory = folder + '/' + index
  mkdirSync(dataDirectory, { recursive: true })
  await wait(Math.max(1, Number(begin) + index * 150 - Date.now()))
  const { database } = await openStorage({ dataDirectory, hmacSecret: undefined })
  await database.close()
}`

test('processes that open a new database at the same time can all use it', async () => {
  await using folder = await temporaryDirectory()
  const ends = await runConcurrently(opening, { folder: folder.path, processes: 3, startMs: 2500 })
  for (const { code, errors: complaint } of ends) assert.deepEqual([code, complaint], [0, ''])
})

test('processes that start at the same time on a new data directory share one generated secret', async () => {
  await using folder = await temporaryDirectory()
  const place = { dataDirectory: folder.path, hmacSecret: undefined }
  const secrets = await Promise.all(Array.from({ length: 10 }, () => findSecret(place)))
  assert.equal(new Set(secrets).size, 1)
})

test('a generated secret that other users can read is made private, with a warning', async () => {
  await using folder = await temporaryDirectory()
  const place = { dataDirectory: folder.path, hmacSecret: undefined }
  await findSecret(place)
  await chmod(secretFile(folder.path), 0o644)
  const warnings: string[] = []
  const { database } = await openStorage({ ...place, warn: (message) => warnings.push(message) })
  await database.close()
  assert.match(warnings.join(), /settings\.env could be read by others \(mode 0644\); its mode is 0600 now/)
  assert.equal((await stat(secretFile(folder.path))).mode & 0o777, 0o600)
})
