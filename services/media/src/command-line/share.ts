import { readFile } from 'node:fs/promises'
import { OperatorError } from '@hearth/runtime'
import { openRemote } from './remote.ts'

/** Options of `hearth media share`. What is left out is as the settings of the service say. */
export interface ShareOptions {
  readonly name?: string
  readonly ends?: string
  readonly uses?: string
  readonly passwordFile?: string
  readonly server: string
  readonly tokenFile?: string
}

/** Timeout of the whole command, milliseconds. */
const timeout = 120_000
const day = 86_400_000

/** Makes a link to the files of jobs through a running service, and prints it. */
export async function share(jobIds: readonly string[], options: ShareOptions): Promise<void> {
  const { name, ends, uses, passwordFile, server, tokenFile } = options
  const fields = {
    job_ids: jobIds,
    ...(name !== undefined && { name }),
    ...(ends !== undefined && { expires_at: readEnd(ends, Date.now()) }),
    ...(uses !== undefined && { max_uses: readUses(uses) }),
    ...(passwordFile !== undefined && { password: await readPassword(passwordFile) }),
  }
  const remote = await openRemote({ url: server, tokenFile, signal: AbortSignal.timeout(timeout) })
  process.stdout.write(`${await remote.share(fields)}\n`)
}

/** Reads the end of a link: days from now, a time with its zone, or `never`. */
export function readEnd(text: string, now: number): string | null {
  if (text === 'never') return null
  const [, days] = /^(\d{1,4})d$/.exec(text) ?? []
  if (days !== undefined) return new Date(now + Number(days) * day).toISOString()
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d.*(?:Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : NaN
  if (Number.isNaN(time)) throw new OperatorError(`--ends: ${text} is no 7d, 2027-01-31T18:00Z or never`)
  return new Date(time).toISOString()
}

function readUses(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new OperatorError(`--uses: ${text} is no number from 0 to 10000`)
  return Number(text)
}

async function readPassword(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).replace(/\r?\n$/, '')
  } catch (error) {
    throw new OperatorError(`--password-file: cannot read ${file}: ${(error as Error).message}`, { cause: error })
  }
}
