import { randomUUID } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { OperatorError } from '@hearth/runtime'
import { openTarget } from './get-target.ts'
import { openRemote, type Remote, type RemoteExport } from './remote.ts'

/** Options of `hearth media cut`. What is left out is as the workbench of the job says. */
export interface CutOptions {
  readonly part?: readonly string[]
  readonly format?: string
  readonly joined?: boolean
  readonly loudness?: string
  readonly semitones?: string
  readonly tempo?: string
  /** Folder to write to. */
  readonly output: string
  readonly server: string
  readonly tokenFile?: string
}

/** Time between two looks at an export, and until it is given up, milliseconds. */
const [interval, timeout] = [1000, 4 * 3_600_000]

/** Cuts parts out of a finished job through a running service, and writes a file of each. */
export async function cut(jobId: string, options: CutOptions): Promise<void> {
  const signal = AbortSignal.timeout(timeout)
  if ((await stat(options.output).catch(() => undefined))?.isDirectory() !== true)
    throw new OperatorError(`--output: ${options.output} is no folder`)
  const target = await openTarget(options.output)
  const given = settingsOf(options)
  const parts = options.part?.map(readPart)
  const remote = await openRemote({ url: options.server, tokenFile: options.tokenFile, signal })
  const saved = await remote.workbench(jobId)
  const wanted = parts ?? saved.parts.map(({ id: _id, ...part }) => part)
  if (wanted.length === 0) throw new OperatorError('there is no part: give --part, or save some in the workbench')
  const request = { id: randomUUID(), ...saved.export, ...given, parts: wanted }
  const done = await waitFor(remote, jobId, await remote.exportParts(jobId, request))
  for (const { number } of done.files) {
    const written = await target.write(await remote.exportedFile(jobId, done.id, number), signal)
    if (written !== undefined) process.stdout.write(`${written}\n`)
  }
}

async function waitFor(remote: Remote, jobId: string, first: RemoteExport): Promise<RemoteExport> {
  for (let one: RemoteExport | undefined = first; one !== undefined;) {
    if (one.status === 'done') return one
    if (one.status === 'failed' || one.status === 'cancelled')
      throw new OperatorError(
        `the export ${one.status === 'failed' ? 'failed' : 'was cancelled'}: ${one.message ?? ''}`,
      )
    await pause(interval)
    one = (await remote.exports(jobId)).find(({ id }) => id === first.id)
  }
  throw new OperatorError('the export was deleted')
}

function settingsOf({ format, joined, loudness, semitones, tempo }: CutOptions) {
  return {
    ...(format !== undefined && { format }),
    ...(joined !== undefined && { joined }),
    ...(loudness !== undefined && { loudness_lufs: readNumber('loudness', loudness) }),
    ...(semitones !== undefined && { semitones: readNumber('semitones', semitones) }),
    ...(tempo !== undefined && { tempo_percent: readNumber('tempo', tempo) }),
  }
}

function readNumber(option: string, text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value)) throw new OperatorError(`--${option}: ${text} is no number`)
  return value
}

/** Reads a part as `1:02.5-1:30=Intro`. */
export function readPart(text: string): { name: string; start: number; end: number } {
  const [, start = '', end = '', name = ''] = /^([\d:.]+)-([\d:.]+)(?:=(.*))?$/s.exec(text) ?? []
  const [from, to] = [readTime(start), readTime(end)]
  if (from === undefined || to === undefined)
    throw new OperatorError(`--part: ${text} is not written as 1:02.5-1:30 or 1:02.5-1:30=Intro`)
  return { name, start: from, end: to }
}

/** Reads `62.5`, `1:02.5` or `1:01:02` as seconds. */
function readTime(text: string): number | undefined {
  if (!/^(?:\d+:)?(?:\d{1,2}:)?\d+(?:\.\d+)?$/.test(text)) return undefined
  return text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
}
