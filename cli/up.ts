import { spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { OperatorError } from '@hearth/runtime'
import type { ServiceFolder } from '../tools/services.ts'

const program = join(import.meta.dirname, 'hearth.ts')

/** A service that ran this long before it ended is started again at once, milliseconds. */
const settledAfter = 60_000

/** How long services may take to stop before they are ended, milliseconds. */
const stopLimit = 20_000

/** A service and how it ended. `refused`: it never came up, so starting it again would not help. */
type Ending = 'stopped' | 'refused' | 'failed'

/**
 * Runs each service as a process of its own until it is told to stop. A service that dies is started again, at longer and
 * longer intervals; one that refuses to start is not.
 */
export async function runUp(services: readonly ServiceFolder[]): Promise<void> {
  const stop = new AbortController()
  const running = new Set<ChildProcess>()
  const end = () => {
    stop.abort()
    for (const child of running) child.kill('SIGTERM')
    setTimeout(() => {
      for (const child of running) child.kill('SIGKILL')
    }, stopLimit).unref()
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
  const width = Math.max(...services.map(({ name }) => name.length))
  const endings = await Promise.all(
    services.map((service) =>
      keepRunning(service, {
        running,
        signal: stop.signal,
        label: services.length > 1 ? service.name.padEnd(width) : '',
      }),
    ),
  )
  if (endings.every((ending) => ending === 'refused')) throw new OperatorError('no service could start')
}

interface Supervision {
  readonly running: Set<ChildProcess>
  readonly signal: AbortSignal
  /** Put before each line when several services run. */
  readonly label: string
}

async function keepRunning(service: ServiceFolder, supervision: Supervision): Promise<Ending> {
  for (let failures = 0; !supervision.signal.aborted;) {
    const begin = Date.now()
    const ending = await runOnce(service, supervision)
    if (ending !== 'failed' || supervision.signal.aborted) return ending
    failures = Date.now() - begin > settledAfter ? 0 : failures + 1
    const seconds = Math.min(60, 2 ** failures)
    process.stderr.write(`hearth: ${service.name} ended unexpectedly; starting it again in ${seconds} s\n`)
    await pause(seconds * 1000, undefined, { signal: supervision.signal }).catch(() => undefined)
  }
  return 'stopped'
}

function runOnce(service: ServiceFolder, { running, signal, label }: Supervision): Promise<Ending> {
  const child = spawn(process.execPath, [program, service.name, 'serve'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, HEARTH_UP: '1' },
    // A process group of its own: Ctrl-C reaches it through us, once.
    detached: true,
  })
  running.add(child)
  let isReady = false
  const copy = (line: string, to: NodeJS.WriteStream) => {
    isReady ||= line.startsWith('listening on ')
    to.write(label === '' ? `${line}\n` : `${label} | ${line}\n`)
  }
  createInterface({ input: child.stdout }).on('line', (line) => copy(line, process.stdout))
  createInterface({ input: child.stderr }).on('line', (line) => copy(line, process.stderr))
  return new Promise((resolve) => {
    child.on('error', () => resolve('refused'))
    child.on('close', (code) => {
      running.delete(child)
      if (signal.aborted || code === 0) resolve('stopped')
      else resolve(isReady ? 'failed' : 'refused')
    })
  })
}
