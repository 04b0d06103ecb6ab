import { setTimeout as pause } from 'node:timers/promises'
import { OperatorError } from '@hearth/runtime'
import { completedStatuses, isTerminal } from '../jobs/job-machine.ts'
import { openTarget } from './get-target.ts'
import { openRemote, type Remote, type RemoteJob, Unreachable } from './remote.ts'

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
/** A service that does not answer for so long while a job is waited for is given up, milliseconds: it may start again meanwhile. */
const patience = 120_000

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
  const target = options.output === undefined ? undefined : await openTarget(options.output)
  const remote = await openRemote({ url: options.server, tokenFile: options.tokenFile, signal })
  const job = await submit(remote, address, options)
  if (options.wait !== true && target === undefined) return print(job.id)
  const done = await waitFor(remote, job, signal)
  if (target === undefined) return print(done.id)
  const written = await target.write(await remote.file(done.id, options.format), signal)
  if (written !== undefined) print(written)
}

/** Creates a job, or finds the one that has the medium already and still has its file. */
async function submit(remote: Remote, address: string, options: GetOptions): Promise<RemoteJob> {
  const fields = { url: address, type: options.video === true ? 'video' : 'audio', quality: options.quality }
  const confirmed = { ...fields, confirm_duplicate: 'true' }
  const { job, isNew } = await remote.submit(options.again === true ? confirmed : fields)
  if (isNew) return job
  if (completedStatuses.includes(job.status) && job.filename === null) return (await remote.submit(confirmed)).job
  say('the service has it already; --again downloads it once more')
  return job
}

/** Waits until a job has ended. Throws when it failed or was stopped. */
async function waitFor(remote: Remote, first: RemoteJob, signal: AbortSignal): Promise<RemoteJob> {
  let job = first
  let said = ''
  let heardAt = Date.now()
  while (!isTerminal(job.status)) {
    if (process.stderr.isTTY && job.message !== null && job.message !== said) say((said = job.message))
    await pause(interval, undefined, { signal })
    try {
      job = await remote.job(job.id)
      heardAt = Date.now()
    } catch (error) {
      if (!(error instanceof Unreachable) || Date.now() - heardAt > patience) throw error
    }
  }
  if (completedStatuses.includes(job.status)) return job
  const what = job.status === 'cancelled' ? 'the download was stopped' : 'the download failed'
  throw new OperatorError(job.message === null ? what : `${what}: ${job.message}`)
}

function say(text: string): void {
  process.stderr.write(`${text}\n`)
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
