import { spawn } from 'node:child_process'
import { root } from '../cli/services.ts'

/** Result of a program: exit code and output. */
export interface Ended {
  /** Exit code; null when a signal ended it. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Time a program may take to end after SIGTERM, milliseconds. */
const patience = 5000

/**
 * Runs a program in the repository to its end. It gets its own process group, so that what it started ends with it: when the
 * signal fires, by SIGTERM and five seconds later by SIGKILL; when the program ends first, by SIGKILL. Rejects when the program
 * cannot be started.
 */
export function runProgram(
  file: string,
  args: readonly string[],
  options: { signal: AbortSignal; env?: NodeJS.ProcessEnv },
): Promise<Ended> {
  const { signal, env = process.env } = options
  const child = spawn(file, args, { cwd: root, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => (texts[name] += text))
  const end = () => {
    if (child.pid === undefined) return
    const group = -child.pid
    signalGroup(group, 'SIGTERM')
    setTimeout(() => signalGroup(group, 'SIGKILL'), patience).unref()
  }
  if (signal.aborted) end()
  else signal.addEventListener('abort', end, { once: true })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', () => {
      // What it left behind may hold its output open.
      if (child.pid !== undefined) signalGroup(-child.pid, 'SIGKILL')
    })
    child.on('close', (code) => {
      signal.removeEventListener('abort', end)
      resolve({ code, ...texts })
    })
  })
}

function signalGroup(group: number, name: NodeJS.Signals): void {
  try {
    process.kill(group, name)
  } catch {
    // Nobody is left in it.
  }
}
