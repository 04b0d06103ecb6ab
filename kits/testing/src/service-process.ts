import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { temporaryDirectory } from './temporary-directory.ts'

const commandLine = join(import.meta.dirname, '../../../cli/hearth.mjs')

/** A service as an operator runs it: a process of its own. */
export interface ServiceProcess extends AsyncDisposable {
  readonly pid: number
  /** `http://…` as the service printed it. */
  readonly url: string
  /** Lines so far. */
  readonly stdout: readonly string[]
  readonly stderr: readonly string[]
  /** Asks it to stop; resolves with the exit code, rejects when it takes longer than services may. */
  stop(): Promise<number | null>
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>
}

/** How long a service may take to listen, milliseconds. */
const startLimit = 30_000

/** How long it may take to stop, milliseconds: the operating contract's limit and a little for the test. */
const stopLimit = 25_000

/** How long a command may take, milliseconds: one that goes on is killed, and its code is null. */
const commandLimit = 120_000

/**
 * Starts `hearth <service> serve` on a free port and waits until it listens. Only the variables given here, and PATH, reach it;
 * without `DATA_DIR` it gets a directory that goes with it. Rejects with what it wrote when it ends before it listens.
 */
export async function startServiceProcess(
  service: string,
  environment: Record<string, string> = {},
): Promise<ServiceProcess> {
  const folder = environment['DATA_DIR'] === undefined ? await temporaryDirectory(service) : undefined
  const data = folder === undefined ? {} : { DATA_DIR: join(folder.path, 'data') }
  const child = spawn(process.execPath, [commandLine, service, 'serve'], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], BIND_PORT: '0', ...data, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal)
      await once(child, 'exit', { signal: AbortSignal.timeout(stopLimit) })
    }
    return child.exitCode
  }
  const dispose = async () => {
    // What a service runs beside itself may be meant to outlive a crash, so it is asked to end it all.
    await end('SIGTERM').catch(() => end('SIGKILL'))
    await folder?.[Symbol.asyncDispose]()
  }
  const stdout: string[] = []
  const stderr: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => stderr.push(line))
  const url = await listening(child, stdout).catch(async (error: unknown) => {
    await dispose()
    const written = [...stdout, ...stderr].join('\n')
    throw new Error(`${service} did not start: ${String(error)}\n${written}`, { cause: error })
  })
  return {
    pid: child.pid ?? 0,
    url,
    stdout,
    stderr,
    stop: () => end('SIGTERM'),
    kill: async () => void (await end('SIGKILL')),
    [Symbol.asyncDispose]: dispose,
  }
}

/** Runs one command of the command line to its end. */
export async function runCommand(
  words: readonly string[],
  environment: Record<string, string> = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [commandLine, ...words], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => (texts[name] += text))
  const timer = setTimeout(() => child.kill('SIGKILL'), commandLimit)
  const [code] = (await once(child, 'close')) as [number | null]
  clearTimeout(timer)
  return { code, ...texts }
}

function listening(
  child: ChildProcess & { stdout: NonNullable<ChildProcess['stdout']> },
  lines: string[],
): Promise<string> {
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line)
      const url = /^listening on (http:\S+)$/.exec(line)?.[1]
      if (url !== undefined) resolve(url)
    })
    child.on('error', reject)
    child.on('close', (code, signal) => reject(new Error(`ended with ${code ?? signal}`)))
    setTimeout(() => reject(new Error(`not listening after ${startLimit / 1000} s`)), startLimit).unref()
  })
}
