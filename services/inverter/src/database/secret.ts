import { randomBytes, hkdfSync } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createFileAtomic, openDataDirectory, OperatorError } from '@hearth/runtime'
import type { Config } from '../config.ts'

/** Path of the generated secret, kept as a line for the environment. */
export const secretFile = (dataDirectory: string): string => join(dataDirectory, 'settings.env')

/** The encrypted database. */
export const databaseFile = (dataDirectory: string): string => join(dataDirectory, 'inverter.db')

type SecretLocation = Pick<Config, 'dataDirectory' | 'hmacSecret'>

/**
 * The secret the database is tied to: `HMAC_SECRET`, or the one generated on the first start. Throws an `OperatorError`
 * when there is none and none can be made: a read-only directory, or a database that was made with another.
 */
export async function findSecret(config: SecretLocation): Promise<string> {
  const found = presentSecret(config)
  if (found !== undefined) return found
  const file = secretFile(config.dataDirectory)
  try {
    openDataDirectory(config.dataDirectory)
    // Of several processes that start together one makes the secret, and all of them use that one.
    await createFileAtomic(file, `HMAC_SECRET=${randomBytes(48).toString('base64url')}\n`)
  } catch (error) {
    throw notGenerated(config.dataDirectory, error)
  }
  return readSecret(file)
}

/** Returns the secret of the settings or of an earlier start; undefined when there is none yet. Makes nothing. */
export function presentSecret({ hmacSecret, dataDirectory }: SecretLocation): string | undefined {
  if (hmacSecret !== undefined) return hmacSecret
  // Checked first: a database that another process makes just now has its secret before it is there itself.
  const hasDatabase = existsSync(databaseFile(dataDirectory))
  const file = secretFile(dataDirectory)
  if (existsSync(file)) return readSecret(file)
  if (hasDatabase) throw new OperatorError('HMAC_SECRET: is missing, and the existing database was encrypted with it')
  return undefined
}

/** As `findSecret`, but makes nothing: undefined when a start would generate a secret. */
export function checkSecret(config: SecretLocation): string | undefined {
  const found = presentSecret(config)
  if (found !== undefined) return found
  let directory = config.dataDirectory
  while (!existsSync(directory)) directory = dirname(directory)
  if (!statSync(directory).isDirectory())
    throw new OperatorError(`DATA_DIR: cannot use ${config.dataDirectory}: ${directory} is not a directory`)
  try {
    // Only a real write proves it: some file systems report write access that they do not grant.
    rmdirSync(mkdtempSync(join(directory, '.hearth-')))
  } catch (error) {
    throw notGenerated(config.dataDirectory, error)
  }
  return undefined
}

const notGenerated = (directory: string, cause: unknown) =>
  new OperatorError(`HMAC_SECRET: is missing, and none can be generated because ${directory} is not writable`, {
    cause,
  })

function readSecret(file: string): string {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new OperatorError(`HMAC_SECRET: cannot read ${file}: ${(error as Error).message}`, { cause: error })
  }
  const secret = /^HMAC_SECRET=(\S{32,})$/m.exec(text)?.[1]
  if (secret === undefined) throw new OperatorError(`HMAC_SECRET: ${file} holds no secret of at least 32 characters`)
  return secret
}

/** 32 bytes for one purpose; a leaked key reveals nothing about the others. */
export function keyFor(secret: string, purpose: 'database' | 'backup' | 'sealed columns'): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, 'hearth inverter', purpose, 32))
}
