import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { BackupReport } from '@hearth/service'
import { eventually, runCommand, startServiceProcess, temporaryDirectory } from '@hearth/testing'
import { csrfCookie } from '../src/accounts/csrf.ts'
import { startObjectStorage } from './object-storage/object-storage.ts'

/** Makes a backup by the API and waits for its end. */
async function backUp(url: string): Promise<BackupReport> {
  const session = await fetch(`${url}/api/session`)
  const token = new RegExp(`${csrfCookie}=([^;]+)`).exec(session.headers.getSetCookie().join(';'))?.[1] ?? ''
  const headers = { cookie: `${csrfCookie}=${token}`, 'x-csrf-token': token }
  assert.equal((await fetch(`${url}/api/backups`, { method: 'POST', headers })).status, 202)
  return eventually(
    async () => (await (await fetch(`${url}/api/backups`)).json()) as BackupReport,
    (report) => !report.is_running && report.last_attempt !== null,
    { seconds: 60 },
  )
}

test('a verified backup is copied to object storage; one that is not is a failure, and made up for', async () => {
  await using folder = await temporaryDirectory()
  await using storage = await startObjectStorage({ directory: join(folder.path, 'storage'), buckets: ['backups'] })
  const directory = join(folder.path, 'backups')
  const settings = {
    DATA_DIR: join(folder.path, 'data'),
    BACKUP_DIR: directory,
    BACKUP_S3: `s3://backups/house/media?endpoint=${storage.url}`,
    AWS_ACCESS_KEY_ID: storage.keys.id,
    AWS_SECRET_ACCESS_KEY: storage.keys.secret,
  }
  await using service = await startServiceProcess('media', settings)
  const first = await backUp(service.url)
  assert.deepEqual([first.copied_to, first.last_attempt?.error], ['s3://backups/house/media', null])
  const [name = ''] = await readdir(directory)
  const copy = storage.files.get('backups', `house/media/${name}`)
  const content = await readFile(join(directory, name))
  assert.deepEqual(await readFile(storage.files.contentOf(copy)), content)
  const check = await runCommand(['media', 'restore', '--check', storage.files.contentOf(copy)], settings)
  assert.deepEqual([check.code, check.stderr], [0, ''])

  const refusal = { status: 403, code: 'AccessDenied' }
  storage.fail('ListObjectsV2', refusal)
  const refused = await backUp(service.url)
  assert.match(refused.last_attempt?.error ?? '', /made and verified, but not copied to s3:\/\/backups\/house\/media: /)
  assert.doesNotMatch(refused.last_attempt?.error ?? '', /secret|Signature/i)
  const again = await backUp(service.url)
  assert.equal(again.last_attempt?.error, null)
  for (const left of await readdir(directory))
    assert.ok(storage.files.find('backups', `house/media/${left}`) !== undefined, left)
})

test('object storage for backups needs a directory for them, and its keys', async () => {
  await using folder = await temporaryDirectory()
  const settings = { DATA_DIR: join(folder.path, 'data'), BACKUP_S3: 's3://backups' }
  const withoutKeys = await runCommand(['media', 'serve'], settings)
  assert.match(withoutKeys.stderr, /^hearth: AWS_ACCESS_KEY_ID: is needed for BACKUP_S3/)
  const keys = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' }
  const withoutDirectory = await runCommand(['media', 'serve'], { ...settings, ...keys })
  assert.match(withoutDirectory.stderr, /^hearth: BACKUP_S3: needs BACKUP_DIR/)
})
