import { createWriteStream, statSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { OperatorError } from '@hearth/runtime'
import { completedStatuses, isTerminal } from '../jobs/job-machine.ts'
import { openRemote, type Remote, type RemoteFile, type RemoteJob } from './remote.ts'

/** Options of `hearth media get`. */
export interface GetOptions {
  readonly video?: boolean
  readonly quality: string
  readonly again?: boolean
  readonly wait?: boolean
  /** File or folder to write to; `-` is standard output. */
  readonly output?: string
  /** Format of a sound. */
  readonly format: string
  readonly server: string
  readonly tokenFile?: string
}

/** Time between two looks at a job, milliseconds: a caller may look sixty times a minute. */
const interval = 2000

/** Downloads a medium through a running service. Prints the id of the job, or the name of the file that was written. */
export async function get(address: string, options: GetOptions): Promise<void> {
  const stop = new AbortController()
  const interrupt = () => stop.abort()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt)
  try {
    await run(address, options, stop.signal)
  } catch (error) {
    if (!stop.signal.aborted) throw error
    throw new OperatorError('interrupted; what was submitted goes on in the service', { cause: error })
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.removeListener(signal, interrupt)
  }
}

async function run(address: string, options: GetOptions, signal: AbortSignal): Promise<void> {
  const remote = await openRemote({ url: options.server, tokenFile: options.tokenFile, signal })
  const { job, isNew } = await remote.submit({
    url: address,
    type: options.video === true ? 'video' : 'audio',
    quality: options.quality,
    ...(options.again === true && { confirm_duplicate: 'true' }),
  })
  if (!isNew) say('the service has it already; --again downloads it once more')
  if (options.wait !== true && options.output === undefined) return print(job.id)
  const done = await waitFor(remote, job, signal)
  if (options.output === undefined) return print(done.id)
  const file = await remote.file(done.id, options.format)
  await write(file, options.output, signal)
}

/** Waits until a job has ended. Throws when it failed or was stopped. */
async function waitFor(remote: Remote, first: RemoteJob, signal: AbortSignal): Promise<RemoteJob> {
  let job = first
  let said = ''
  while (!isTerminal(job.status)) {
    if (process.stderr.isTTY && job.message !== null && job.message !== said) say((said = job.message))
    await pause(interval, undefined, { signal })
    job = await remote.job(job.id)
  }
  if (completedStatuses.includes(job.status)) return job
  const what = job.status === 'cancelled' ? 'the download was stopped' : 'the download failed'
  throw new OperatorError(job.message === null ? what : `${what}: ${job.message}`)
}

/** Writes a file whole or not at all, into a folder under its own name, and prints where it is. */
async function write({ name, content }: RemoteFile, output: string, signal: AbortSignal): Promise<void> {
  const source = Readable.fromWeb(content as never)
  if (output === '-') return pipeline(source, process.stdout, { signal, end: false })
  const isFolder = statSync(output, { throwIfNoEntry: false })?.isDirectory() === true
  const path = isFolder ? join(output, name) : output
  const part = join(dirname(path), `.${process.pid}.part`)
  try {
    await pipeline(source, createWriteStream(part, { flags: 'wx' }), { signal })
    await rename(part, path)
  } catch (error) {
    await rm(part, { force: true })
    if (signal.aborted) throw error
    throw new OperatorError(`--output: ${path} cannot be written: ${(error as Error).message}`, { cause: error })
  }
  print(path)
}

function say(text: string): void {
  process.stderr.write(`${text}\n`)
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
