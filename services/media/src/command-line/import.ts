import { readFile } from 'node:fs/promises'
import { OperatorError } from '@hearth/runtime'
import { openRemote } from './remote.ts'

/** Options of `hearth media import`. */
export interface ImportOptions {
  readonly video?: boolean
  readonly quality: string
  readonly server: string
  readonly tokenFile?: string
}

/** Timeout of the whole command, milliseconds, and addresses in one request. */
const [timeout, perRequest] = [600_000, 500]

/** Has a running service download the addresses of a file. Prints a line for each: outcome, address, and the reason of a refusal. */
export async function importFile(file: string, options: ImportOptions): Promise<void> {
  const urls = addressesOf(await readText(file))
  if (urls.length === 0) throw new OperatorError(`${file} has no addresses`)
  const { server, tokenFile } = options
  const remote = await openRemote({ url: server, tokenFile, signal: AbortSignal.timeout(timeout) })
  const kind = { type: options.video === true ? 'video' : 'audio', quality: options.quality }
  for (let index = 0; index < urls.length; index += perRequest) {
    const results = await remote.importUrls({ urls: urls.slice(index, index + perRequest), ...kind })
    for (const { outcome, url, detail } of results)
      process.stdout.write(`${[outcome, url, ...(detail === null ? [] : [detail])].join('\t')}\n`)
  }
}

/** The addresses of a text, one per line; empty lines and those that begin with # are left out. */
export function addressesOf(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file === '-' ? '/dev/stdin' : file, 'utf8')
  } catch (error) {
    throw new OperatorError(`cannot read ${file}: ${(error as Error).message}`, { cause: error })
  }
}
