import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** A program that a test started; it ends with the test, by its process id. */
export interface TestProgram extends AsyncDisposable {
  /** What it has written so far. */
  output(): string
  stop(): Promise<void>
  isRunning(): boolean
}

/** Starts a program without a shell and without the variables of the test. */
export function startTestProgram(
  [program = '', ...args]: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): TestProgram {
  const env = { PATH: process.env['PATH'] ?? '', ...environment }
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let written = ''
  const add = (chunk: Buffer) => void (written = `${written}${chunk.toString()}`.slice(-50_000))
  child.stdout.on('data', add)
  child.stderr.on('data', add)
  child.on('error', (error) => add(Buffer.from(error.message)))
  const isRunning = () => child.pid !== undefined && child.exitCode === null && child.signalCode === null
  const stop = async () => {
    if (!isRunning()) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  return { output: () => written, stop, isRunning, [Symbol.asyncDispose]: stop }
}
