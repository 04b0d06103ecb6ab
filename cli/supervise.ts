import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { nodeFlags, variables } from './memory-limits.mjs'

/** A service that ran this long before it ended is started again soon, milliseconds. */
const settledAfter = 60_000

/** Maximum delay before a service is restarted, seconds. */
const maxDelay = 30

/** State of a service: it listens, refused to start, or ended unexpectedly. */
export type State = { readonly kind: 'ready'; readonly url: string } | { readonly kind: 'refused' | 'failed' }

/** One service to keep running. */
export interface Supervision {
  /** Runs `<name> serve`. */
  readonly program: string
  readonly name: string
  /** Put before each line it prints. */
  readonly label: string
  /** Stops the service, by SIGTERM or at once. */
  readonly stop: AbortSignal
  readonly kill: AbortSignal
  /** Called on every change of state. */
  readonly report: (state: State) => void
}

/**
 * Keeps a service running until it is told to stop. It is not started again when it ended with 1 in its first start before it
 * listened: then it refused its settings, which starting again does not change.
 */
export async function superviseService(supervision: Supervision): Promise<'stopped' | 'refused'> {
  const { name, stop, report } = supervision
  for (let failures = 0, isFirst = true; !stop.aborted; isFirst = false) {
    const begin = performance.now()
    const ending = await runOnce(supervision)
    if (stop.aborted) break
    if (isFirst && !ending.wasReady && ending.code === 1) {
      process.stderr.write(`hearth: ${name} refused to start\n`)
      report({ kind: 'refused' })
      return 'refused'
    }
    report({ kind: 'failed' })
    failures = performance.now() - begin > settledAfter ? 1 : failures + 1
    const seconds = Math.min(maxDelay, 2 ** (failures - 1))
    const how = ending.signal === null ? `exit code ${ending.code}` : ending.signal
    process.stderr.write(`hearth: ${name} ended unexpectedly (${how}); starting it again in ${seconds} s\n`)
    await pause(seconds * 1000, undefined, { signal: stop }).catch(() => undefined)
  }
  return 'stopped'
}

interface Ending {
  readonly wasReady: boolean
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

function runOnce({ program, name, label, stop, kill, report }: Supervision): Promise<Ending> {
  const child = spawn(process.execPath, [...nodeFlags, program, name, 'serve'], {
    // Alone it writes its log straight to the terminal; the channel tells it when we are gone.
    stdio: ['ignore', 'pipe', label === '' ? 'inherit' : 'pipe', 'ipc'],
    env: { ...variables, ...process.env, HEARTH_UP: '1', ...(process.stderr.isTTY && { HEARTH_TERMINAL: '1' }) },
    // A process group of its own: Ctrl-C reaches it through us, once.
    detached: true,
  })
  const letGo = endWith(child, stop, kill)
  let wasReady = false
  onLines(child.stderr, (line) => process.stderr.write(`${label}${line}\n`))
  onLines(child.stdout, (line) => {
    process.stdout.write(`${label}${line}\n`)
    const url = /^listening on (\S+)$/.exec(line)?.[1]
    if (url === undefined) return
    wasReady = true
    report({ kind: 'ready', url })
  })
  return new Promise((resolve) => {
    const ended = (code: number | null, signal: NodeJS.Signals | null) => {
      letGo()
      resolve({ wasReady, code, signal })
    }
    child.on('error', () => ended(null, null))
    child.on('close', ended)
  })
}

function endWith(child: ChildProcess, stop: AbortSignal, kill: AbortSignal): () => void {
  const ask = () => child.kill('SIGTERM')
  const end = () => child.kill('SIGKILL')
  stop.addEventListener('abort', ask)
  kill.addEventListener('abort', end)
  return () => {
    stop.removeEventListener('abort', ask)
    kill.removeEventListener('abort', end)
  }
}

function onLines(from: NodeJS.ReadableStream | null, take: (line: string) => void): void {
  if (from !== null) createInterface({ input: from }).on('line', take)
}
