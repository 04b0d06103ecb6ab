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
 * Runs a program in the repository to its end. It gets a process group of its own, so that when the signal fires, what it
 * started ends with it: SIGTERM first, SIGKILL five seconds later. Rejects when the program cannot be started.
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
