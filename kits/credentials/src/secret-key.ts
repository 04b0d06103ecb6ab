import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import { checkFile, checkNewFile, createFileAtomic, OperatorError, settingKind, writeFileAtomic } from '@hearth/runtime'
import { z } from 'zod'

/** Source of the key of the sealed columns. */
export interface SecretKeySource {
  /** The key itself from `SECRET_KEY`: 32 bytes in base64 or hex. Wins over the file. */
  readonly value?: string | undefined
  /** `SECRET_KEY_FILE`; made with mode 0600 when it is missing and `mayCreate` is set. */
  readonly file: string
  readonly mayCreate: boolean
}

/** Reads the key, or makes it on the first start. Throws an `OperatorError` that names the setting, never the value. */
export async function loadSecretKey(source: SecretKeySource): Promise<Uint8Array> {
  if (source.value !== undefined) return parseKey(source.value, 'SECRET_KEY')
  if (existsSync(source.file)) return parseKey(read(source.file), 'SECRET_KEY_FILE')
  if (!source.mayCreate) {
    throw new OperatorError(
      `SECRET_KEY_FILE: ${source.file} is missing, and the existing database was sealed with its key`,
    )
  }
  // Of several processes that start together one makes the key, and all of them use that one.
  await createFileAtomic(source.file, `${randomBytes(32).toString('base64')}\n`).catch((error: Error) => {
    throw new OperatorError(`SECRET_KEY_FILE: cannot make ${source.file}: ${error.message}`, { cause: error })
  })
  return parseKey(read(source.file), 'SECRET_KEY_FILE')
}

/**
 * Checks where the key comes from without making anything: a file that is there holds a key, one that is not can be made.
 * A file in `dataDirectory` is made together with the directory. Throws an `OperatorError` that names the setting.
 */
export function checkSecretKey(source: Pick<SecretKeySource, 'value' | 'file'>, dataDirectory: string): void {
  if (source.value !== undefined) return void parseKey(source.value, 'SECRET_KEY')
  checkFile('SECRET_KEY_FILE', source.file, { mayBeMissing: true })
  if (existsSync(source.file)) parseKey(read(source.file), 'SECRET_KEY_FILE')
  else if (dirname(source.file) !== dataDirectory) checkNewFile('SECRET_KEY_FILE', source.file)
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new OperatorError(`SECRET_KEY_FILE: cannot read ${file}: ${(error as Error).message}`, { cause: error })
  }
}

const keyRule = 'must hold 32 bytes in base64 or hex'

/** The setting `SECRET_KEY`: the key itself. */
export const secretKeyText = z
  .string()
  .refine((text) => decodeKey(text) !== undefined, keyRule)
  .meta(settingKind('secret'))

function parseKey(text: string, setting: string): Uint8Array {
  const key = decodeKey(text)
  if (key === undefined) throw new OperatorError(`${setting}: ${keyRule}`)
  return key
}

function decodeKey(text: string): Uint8Array | undefined {
  const trimmed = text.trim()
  if (/^[0-9a-f]{64}$/i.test(trimmed)) return Buffer.from(trimmed, 'hex')
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(trimmed) ? Buffer.from(trimmed, 'base64') : undefined
}

/**
 * Replaces the key in the file while `work` seals everything with the new one. A crash in between leaves both keys: the new one
 * is kept beside the file for `finishReplacement`.
 */
export async function replaceSecretKey(file: string, reseal: (next: Uint8Array) => Promise<void>): Promise<void> {
  const next = randomBytes(32)
  await writeFileAtomic(nextKeyFile(file), `${next.toString('base64')}\n`)
  await reseal(next)
  renameSync(nextKeyFile(file), file)
}

/** Completes a replacement that was interrupted after everything was sealed with the new key; false when there is none. */
export function finishReplacement(file: string, isRight: (key: Uint8Array) => boolean): boolean {
  const waiting = nextKeyFile(file)
  if (!existsSync(waiting) || !isRight(parseKey(read(waiting), 'SECRET_KEY_FILE'))) return false
  renameSync(waiting, file)
  return true
}

const nextKeyFile = (file: string): string => `${file}.next`
