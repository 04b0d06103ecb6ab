import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { isService, nodeFlags, variables } from '../../../cli/memory-limits.mjs'
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

/** Time that a service has until it listens, milliseconds. */
const startLimit = 30_000

/** Time that it has to stop, milliseconds: the limit of 20 s and a little for the test. */
const stopLimit = 25_000

/** Time that a command has, milliseconds: one that goes on is killed, and its code is null. */
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
  const child = spawnCommand([service, 'serve'], { BIND_PORT: '0', ...data, ...environment })
  const end = (signal: 'SIGTERM' | 'SIGKILL') => endChild(child, signal)
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

/**
 * Starts the command line. A service gets the limits of memory from here, as from `hearth up` and the packages: it would start
 * once more to get them.
 */
function spawnCommand(args: readonly string[], environment: Record<string, string>) {
  const [flags, added] = isService(args) ? [nodeFlags, variables] : [[], {}]
  return spawn(process.execPath, [...flags, commandLine, ...args], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...added, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** A service as its first start left it: a process, its data directory and environment, and the generated password. */
export interface NewService extends AsyncDisposable {
  readonly service: ServiceProcess
  readonly folder: string
  readonly environment: Record<string, string>
  readonly firstPassword: string
}

/** Starts a service on an empty data directory and reads the generated password of its administrator. */
export async function startNewService(service: string, more: Record<string, string> = {}): Promise<NewService> {
  await using cleanup = new AsyncDisposableStack()
  const { path: folder } = cleanup.use(await temporaryDirectory(service))
  const environment = { DATA_DIR: folder, ...more }
  const running = cleanup.use(await startServiceProcess(service, environment))
  const firstPassword = (await readFile(join(folder, 'initial-admin-password'), 'utf8')).trim()
  const resources = cleanup.move()
  return { service: running, folder, environment, firstPassword, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

/** A command of the command line that runs until it is stopped. */
export interface RunningProgram extends AsyncDisposable {
  /** Lines so far. */
  readonly stdout: readonly string[]
  readonly stderr: readonly string[]
  /** Asks it to stop; resolves with the exit code, rejects when it takes longer than services may. */
  stop(): Promise<number | null>
}

/** Starts a command that runs until it is stopped. */
export function startProgram(args: readonly string[], environment: Record<string, string> = {}): RunningProgram {
  const child = spawnCommand(args, environment)
  const [stdout, stderr] = [new Array<string>(), new Array<string>()]
  createInterface({ input: child.stdout }).on('line', (line) => stdout.push(line))
  createInterface({ input: child.stderr }).on('line', (line) => stderr.push(line))
  const stop = () => endChild(child, 'SIGTERM')
  return {
    stdout,
    stderr,
    stop,
    [Symbol.asyncDispose]: async () => void (await stop().catch(() => endChild(child, 'SIGKILL'))),
  }
}

async function endChild(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill(signal)
    await once(child, 'exit', { signal: AbortSignal.timeout(stopLimit) })
  }
  return child.exitCode
}

/** Runs one command of the command line to its end. */
export async function runCommand(
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawnCommand(args, environment)
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
