import { join, resolve } from 'node:path'
import { checkDirectory, OperatorError, type Environment } from '@hearth/runtime'
import type { ArtifactLocation } from './artifact-location.ts'
import type { ArtifactStore } from './artifact-store.ts'
import { openDirectoryStore } from './directory-store.ts'
import { closingInOrder } from './orderly-close.ts'

/** Options of `openArtifacts`. */
export interface ArtifactOptions {
  /** Holds the default directory, and local copies of what is in object storage. */
  readonly dataDirectory: string
  /** Has the keys of object storage; the process's own unless told. */
  readonly environment?: Environment
  /** Bytes of local copies; 4 GiB unless told. One that is larger lives while it is used. */
  readonly copyBytes?: number
}

/**
 * Opens the store that the setting ARTIFACTS names. Throws an `OperatorError` when it cannot be used; object storage that is
 * merely not reachable yet is no error.
 */
export async function openArtifacts(location: ArtifactLocation, options: ArtifactOptions): Promise<ArtifactStore> {
  return closingInOrder(await openStore(location, options))
}

/**
 * Checks a store's place and keys before anything is written. Throws an `OperatorError` that names the wrong setting. The
 * directory in the data directory is made with it.
 */
export function checkArtifacts(location: ArtifactLocation, environment: Environment = process.env): void {
  if (location.kind === 's3') readKeys(environment)
  else if (location.path !== undefined) checkDirectory('ARTIFACTS', resolve(location.path))
}

async function openStore(location: ArtifactLocation, options: ArtifactOptions): Promise<ArtifactStore> {
  const { dataDirectory, environment = process.env, copyBytes = 4 * 1024 ** 3 } = options
  if (location.kind === 'directory') {
    return await openDirectoryStore(resolve(location.path ?? join(dataDirectory, 'artifacts')))
  }
  const credentials = readKeys(environment)
  // The library is large; a service that keeps its files in a directory does without it.
  const { openS3Store } = await import('./s3-store.ts')
  return await openS3Store(location, { credentials, copies: join(dataDirectory, 'artifact-copies'), copyBytes })
}

function readKeys(environment: Environment) {
  const keys = { id: keyOf(environment, 'AWS_ACCESS_KEY_ID'), secret: keyOf(environment, 'AWS_SECRET_ACCESS_KEY') }
  const session = environment['AWS_SESSION_TOKEN']
  return session === undefined || session === '' ? keys : { ...keys, session }
}

function keyOf(environment: Environment, name: string): string {
  const value = environment[name]
  if (value === undefined || value === '')
    throw new OperatorError(`${name}: is needed for ARTIFACTS at an s3:// address`)
  return value
}
