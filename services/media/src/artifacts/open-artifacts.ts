import { join, resolve } from 'node:path'
import { checkDirectory, OperatorError, type Environment } from '@hearth/runtime'
import type { ArtifactLocation } from './artifact-location.ts'
import { ArtifactStorageFailed, type ArtifactStore } from './artifact-store.ts'
import { openDirectoryStore } from './directory-store.ts'
import type { StorageKeys } from './s3-connection.ts'

/** Options of `openArtifacts`. */
export interface ArtifactOptions {
  /** Holds the default directory, and local copies of what is in object storage. */
  readonly dataDirectory: string
  /** Has the keys of object storage; `process.env` by default. */
  readonly environment?: Environment
  /** Bytes of local copies; 4 GiB by default. One that is larger lives while it is used. */
  readonly copyBytes?: number
}

/**
 * Opens the store that the setting ARTIFACTS names. Throws an `OperatorError` when it cannot be used; object storage that is
 * merely not reachable yet is no error.
 */
export async function openArtifacts(location: ArtifactLocation, options: ArtifactOptions): Promise<ArtifactStore> {
  return closingInOrder(await openStore(location, options))
}

/** Directory of the artifacts; undefined in object storage. */
export const artifactsFolder = (location: ArtifactLocation, dataDirectory: string): string | undefined =>
  location.kind === 'directory' ? resolve(location.path ?? join(dataDirectory, 'artifacts')) : undefined

/**
 * Checks a store's place and keys before anything is written. Throws an `OperatorError` that names the wrong setting. The
 * directory in the data directory is made with it.
 */
export function checkArtifacts(location: ArtifactLocation, environment: Environment = process.env): void {
  if (location.kind === 's3') readStorageKeys(environment, 'ARTIFACTS')
  else if (location.path !== undefined) checkDirectory('ARTIFACTS', resolve(location.path))
}

async function openStore(location: ArtifactLocation, options: ArtifactOptions): Promise<ArtifactStore> {
  const { dataDirectory, environment = process.env, copyBytes = 4 * 1024 ** 3 } = options
  if (location.kind === 'directory') {
    return await openDirectoryStore(resolve(location.path ?? join(dataDirectory, 'artifacts')))
  }
  const credentials = readStorageKeys(environment, 'ARTIFACTS')
  // Loaded on demand: the library is large, and a directory store does not need it.
  const { openS3Store } = await import('./s3-store.ts')
  return await openS3Store(location, { credentials, copies: join(dataDirectory, 'artifact-copies'), copyBytes })
}

/** Reads the keys of object storage. Throws an `OperatorError` that names the missing one and the setting that needs it. */
export function readStorageKeys(environment: Environment, setting: string): StorageKeys {
  const accessKeyId = keyOf(environment, 'AWS_ACCESS_KEY_ID', setting)
  const secretAccessKey = keyOf(environment, 'AWS_SECRET_ACCESS_KEY', setting)
  const sessionToken = environment['AWS_SESSION_TOKEN']
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) }
}

function keyOf(environment: Environment, name: string, setting: string): string {
  const value = environment[name]
  if (value === undefined || value === '')
    throw new OperatorError(`${name}: is needed for ${setting} at an s3:// address`)
  return value
}

/**
 * The same store, whose `close` waits for the changes that are under way and lets none come after it: the caller of one
 * may be gone, but its work goes on.
 */
function closingInOrder(store: ArtifactStore): ArtifactStore {
  const underWay = new Set<Promise<unknown>>()
  let isClosed = false

  async function change<T>(begin: () => Promise<T>): Promise<T> {
    if (isClosed) throw new ArtifactStorageFailed('the artifacts are closed')
    const work = begin()
    underWay.add(work)
    return await work.finally(() => underWay.delete(work))
  }

  return {
    put: (jobId, name, file) => change(() => store.put(jobId, name, file)),
    removeOne: (jobId, name) => change(() => store.removeOne(jobId, name)),
    removeJob: (jobId) => change(() => store.removeJob(jobId)),
    stat: store.stat.bind(store),
    open: store.open.bind(store),
    withLocalFile: store.withLocalFile.bind(store),
    list: store.list.bind(store),
    jobs: store.jobs.bind(store),
    async close() {
      isClosed = true
      await Promise.allSettled(underWay)
      await store.close()
    },
  }
}
