import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseJson, writeFileAtomic } from '@hearth/runtime'
import { z } from 'zod'

const attemptSchema = z.object({
  /** Milliseconds. */
  at: z.number(),
  seconds: z.number(),
  /** Reason of the failure; null when the backup was made and verified. */
  error: z.string().nullable(),
  file: z.string().nullable(),
  bytes: z.number().nullable(),
  rows: z.number().nullable(),
})

/** Outcome of an attempt to make a backup. */
export type BackupAttempt = Readonly<z.infer<typeof attemptSchema>>

const stateSchema = z.object({ lastAttempt: attemptSchema.nullable(), lastGood: attemptSchema.nullable() })

/** The last attempt, and the last that made a verified backup; null when there was none. */
export type BackupState = Readonly<z.infer<typeof stateSchema>>

const none: BackupState = { lastAttempt: null, lastGood: null }

const fileIn = (dataDirectory: string): string => join(dataDirectory, 'backup-state.json')

/** Reads what a service knows of its last backups; a file that is missing or cannot be understood counts as none. */
export async function readBackupState(dataDirectory: string): Promise<BackupState> {
  const text = await readFile(fileIn(dataDirectory), 'utf8').catch(() => undefined)
  if (text === undefined) return none
  try {
    return stateSchema.parse(parseJson(text))
  } catch {
    return none
  }
}

/** Keeps what a service knows of its last backups. */
export async function writeBackupState(dataDirectory: string, state: BackupState): Promise<void> {
  await writeFileAtomic(fileIn(dataDirectory), `${JSON.stringify(state)}\n`)
}
