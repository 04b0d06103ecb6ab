import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const commandLine = join(import.meta.dirname, '../../../cli/hearth.ts')

/** A service as an operator runs it: a process of its own. */
export interface ServiceProcess extends AsyncDisposable {
  readonly pid: number
  /** `http://…` as the service printed it. */
  readonly url: string
  /** Lines so far. */
  readonly stdout: readonly string[]
  readonly stderr: readonly string[]
  /** Asks it to stop; resolves with the exit code. */
  stop(): Promise<number | null>
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>
}

/**
 * Starts `hearth <service> serve` on a free port and waits until it listens. Only the variables given here, and PATH, reach it.
 * Rejects with what it wrote when it ends before.
 */
export async function startServiceProcess(
  service: string,
  environment: Record<string, string>,
): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [commandLine, service, 'serve'], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], BIND_PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const stdout: string[] = []
  const stderr: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => stderr.push(line))
  const url = await listening(child, stdout).catch((error: unknown) => {
    throw new Error(`${service} did not start: ${[...stdout, ...stderr].join('\n')}`, { cause: error })
  })
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal)
      await once(child, 'exit')
    }
    return child.exitCode
  }
  return {
    pid: child.pid ?? 0,
    url,
    stdout,
    stderr,
    stop: () => end('SIGTERM'),
    kill: async () => void (await end('SIGKILL')),
    [Symbol.asyncDispose]: async () => void (await end('SIGKILL')),
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
  const [code] = (await once(child, 'close')) as [number | null]
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
    child.on('close', (code) => reject(new Error(`ended with ${code}`)))
  })
}
