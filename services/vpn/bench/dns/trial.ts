import { spawn, type ChildProcess } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { execa } from 'execa'
import type { LoadResult } from './load-result.ts'
import { cpuSeconds, machineSeconds, memoryMiB, memoryOfPart, processTree } from './machine.ts'
import type { NameFiles } from './names.ts'
import type { Server } from './servers.ts'

/** Ports of loopback this benchmark uses. */
export const ports = { server: 5353, upstream: 5300 } as const

/** How long the paced window is. */
const pacedSeconds = 7

/** One start of one server, measured. Latencies in microseconds, times in milliseconds, memory in MiB. */
export interface Trial {
  /** From the start of the process until the last name of the list is blocked. */
  readonly loadMs: number
  readonly qps: number
  readonly p50: number
  /** Of a usual second. */
  readonly p99: number
  /** Of the process that answers. */
  readonly memory: number
  /** With everything around it: API, pages, sampling. */
  readonly wholeMemory: number
  /** The server's own CPU time for a query at saturation, microseconds. */
  readonly cpuMicros: number
  readonly blockedShare: number
  readonly failedShare: number
  readonly lost: number
  /** CPU share that others on this machine took meanwhile. */
  readonly foreign: number
}

export interface TrialOptions {
  readonly names: NameFiles
  readonly seconds: number
  /** Queries a second of the paced window. */
  readonly rate: number
  /** Cores the server may use; the generator has core 1. */
  readonly cores: string
  /** Only how long loading takes. */
  readonly loadOnly?: boolean
}

/** Starts a server, pinned; it ends with the returned function. */
export async function startServer(
  server: Server,
  cores: string,
): Promise<{ child: ChildProcess; stop: () => Promise<void> }> {
  const start = (command: readonly string[]) =>
    spawn('taskset', ['-c', cores, ...command], {
      stdio: 'ignore',
      env: { ...process.env, ...server.environment },
    })
  const companion = server.companion === undefined ? undefined : start(server.companion)
  const child = start(server.command)
  return {
    child,
    async stop() {
      await stopTree(child)
      if (companion !== undefined) await stopTree(companion)
    },
  }
}

/** Measures one start: loading, a paced window, saturation. */
export async function runTrial(server: Server, options: TrialOptions): Promise<Trial> {
  await server.prepare?.()
  const since = performance.now()
  const { child, stop } = await startServer(server, options.cores)
  try {
    const loadMs = await untilBlocked(options.names.lastBlocked, { since, child })
    if (options.loadOnly === true) return { ...nothing, loadMs }
    await pause(1000)
    await askFor(options.names.warm, { rate: 10_000, seconds: 1 })
    await askFor(options.names.warmMix, { seconds: 2 })
    const calm = await observed(child, () => askFor(options.names.mix, { rate: options.rate, seconds: pacedSeconds }))
    const full = await observed(child, () => askFor(options.names.mix, { seconds: options.seconds, from: 400_000 }))
    return {
      loadMs,
      qps: full.load.qps,
      p50: calm.load.p50,
      p99: calm.load.usualP99,
      memory: memoryOfPart(child.pid ?? 0, 'hearth-vpn resolver'),
      wholeMemory: memoryMiB(child.pid ?? 0),
      cpuMicros: (full.serverSeconds / full.load.received) * 1e6,
      blockedShare: full.load.blockedShare + full.load.missingShare,
      failedShare: full.load.failedShare,
      lost: full.load.lost + calm.load.lost,
      foreign: Math.max(calm.foreign, full.foreign),
    }
  } finally {
    await stop()
  }
}

const nothing: Trial = {
  loadMs: 0,
  qps: 0,
  p50: 0,
  p99: 0,
  memory: 0,
  wholeMemory: 0,
  cpuMicros: 0,
  blockedShare: 0.2,
  failedShare: 0,
  lost: 0,
  foreign: 0,
}

/** Runs the generator on core 1. */
export async function askFor(
  file: string,
  options: { seconds: number; rate?: number; from?: number },
): Promise<LoadResult> {
  const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)])
  const program = join(import.meta.dirname, 'load.ts')
  const run = ['-c', '1', process.execPath, '--no-warnings', program, '--port', String(ports.server), '--file', file]
  const { stdout } = await execa('taskset', [...run, ...words])
  return JSON.parse(stdout) as LoadResult
}

/** A window with what it cost the server, and the share of a core that neither it nor the generator used. */
async function observed(child: ChildProcess, take: () => Promise<LoadResult>) {
  const pid = child.pid ?? 0
  const before = { server: cpuSeconds(pid), machine: machineSeconds(), at: performance.now() }
  const load = await take()
  const serverSeconds = cpuSeconds(pid) - before.server
  const seconds = (performance.now() - before.at) / 1000
  const foreign = (machineSeconds() - before.machine - serverSeconds - load.cpuSeconds) / seconds
  return { load, serverSeconds, foreign: Math.max(0, foreign) }
}

/** Asks for a blocked name until it is blocked; milliseconds since `since`. */
export async function untilBlocked(
  name: string,
  { since, child }: { since: number; child?: ChildProcess },
): Promise<number> {
  const socket = createSocket('udp4')
  const seen = { at: 0 }
  socket.on('message', (message) => {
    const isMissing = ((message[3] ?? 0) & 15) === 3
    const isNull = (message[7] ?? 0) > 0 && message.readUInt32BE(message.length - 4) === 0
    if (isMissing || isNull) seen.at ||= performance.now()
  })
  socket.on('error', () => undefined)
  const labels = name.split('.').map((label) => String.fromCharCode(label.length) + label)
  const query = Buffer.from(`\u0012\u0034\u0001\0\0\u0001\0\0\0\0\0\0${labels.join('')}\0\0\u0001\0\u0001`, 'latin1')
  try {
    while (seen.at === 0) {
      if (child !== undefined && child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`)
      if (performance.now() - since > 120_000) throw new Error('the server is not ready after two minutes')
      socket.send(query, ports.server, '127.0.0.1')
      await pause(3)
    }
    return seen.at - since
  } finally {
    socket.close()
  }
}

async function stopTree(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const pids = processTree(child.pid ?? 0)
  child.kill('SIGTERM')
  const timer = setTimeout(() => {
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It ended meanwhile.
      }
    }
  }, 10_000)
  await ended
  clearTimeout(timer)
}
