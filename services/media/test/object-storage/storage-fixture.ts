import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { parseArtifactLocation } from '../../src/artifacts/artifact-location.ts'
import { openArtifacts } from '../../src/artifacts/open-artifacts.ts'
import { startObjectStorage } from './object-storage.ts'

/** A folder that goes with the test. */
export async function testFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-artifacts-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** An object storage, and the setting and the environment with which a service uses it. */
export async function storageFixture(t: TestContext) {
  const folder = await testFolder(t)
  const storage = await startObjectStorage({ directory: join(folder, 'storage'), buckets: ['media'] })
  t.after(() => storage.close())
  const setting = `s3://media/home?endpoint=${storage.url}`
  const environment = { AWS_ACCESS_KEY_ID: storage.keys.id, AWS_SECRET_ACCESS_KEY: storage.keys.secret }
  const dataDirectory = join(folder, 'data')

  async function open(copyBytes?: number) {
    const more = copyBytes === undefined ? {} : { copyBytes }
    const store = await openArtifacts(parseArtifactLocation(setting), { dataDirectory, environment, ...more })
    t.after(() => store.close())
    return store
  }

  return { folder, storage, setting, environment, dataDirectory, open }
}
