import { spawn, type ChildProcess } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { execa } from 'execa'
import { readBundleFile } from '../../src/lists/bundle-file.ts'
import type { LoadResult } from './load.ts'
import { cpuSeconds, memoryMiB, memoryOfPart, processTree, stateOf } from './machine.ts'
import type { NameFiles } from './names.ts'
import { goingFirst, quietly, untilIdle } from './quiet.ts'
import type { Server } from './servers.ts'

/** Ports of loopback this benchmark uses. */
export const ports = { server: 5353, upstream: 5300 } as const

/** Duration of the paced window. */
const pacedSeconds = 7

/** One start of one server, measured. Latencies in microseconds, times in milliseconds, memory in MiB. */
export interface Trial {
  /** From the start of the process until the last name of the list is blocked. */
  readonly loadMs: number
  /** Reading the compiled lists alone. */
  readonly tableMs: number
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
  await untilIdle()
  const since = performance.now()
  const { child, stop } = await startServer(server, options.cores)
  try {
    const loadMs = await goingFirst(() => untilBlocked(options.names.lastBlocked, { since, child }))
    if (options.loadOnly === true) return { ...nothing, loadMs }
    await pause(1000)
    await askFor(options.names.warm, { rate: 10_000, seconds: 1 })
    await askFor(options.names.warmMix, { seconds: 2 })
    // Another part of the file at each try, so that what is to be new to the server is.
    const ask = fresh(options.names.mix, 0)
    const calm = await quietly(() => ask({ rate: options.rate, seconds: pacedSeconds }))
    const hurry = fresh(options.names.mix, 400_000)
    const full = await quietly(async () => {
      const before = cpuSeconds(child.pid ?? 0)
      const load = await hurry({ seconds: options.seconds })
      return { ...load, serverSeconds: cpuSeconds(child.pid ?? 0) - before }
    })
    return {
      loadMs,
      tableMs: server.table === undefined ? 0 : timeTable(server.table),
      qps: full.qps,
      p50: calm.p50,
      p99: calm.usualP99,
      memory: memoryOfPart(child.pid ?? 0, 'hearth-vpn resolver'),
      wholeMemory: memoryMiB(child.pid ?? 0),
      cpuMicros: (full.serverSeconds / full.received) * 1e6,
      blockedShare: full.blockedShare + full.missingShare,
      failedShare: full.failedShare,
      lost: full.lost + calm.lost,
      foreign: Math.max(calm.foreign, full.foreign),
    }
  } finally {
    await stop()
  }
}

function timeTable(file: string): number {
  const since = performance.now()
  if (readBundleFile(file) === undefined) throw new Error(`${file} cannot be read`)
  return performance.now() - since
}

const nothing: Trial = {
  loadMs: 0,
  tableMs: 0,
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

/** Asks from a place in the file on, each time behind what was asked before. */
export function fresh(file: string, from: number) {
  let next = from
  return async (options: { seconds: number; rate?: number }): Promise<LoadResult> => {
    const load = await askFor(file, { ...options, from: next })
    next = load.next
    return load
  }
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

/** Ends a process with everything it started; over when none of them is left. */
async function stopTree(child: ChildProcess): Promise<void> {
  const pids = processTree(child.pid ?? 0)
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
  const until = performance.now() + 10_000
  while (pids.some(isRunning)) {
    if (performance.now() > until) pids.forEach(kill)
    await pause(5)
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended meanwhile.
  }
}

/** Returns true if a process exists and has not ended. */
const isRunning = (pid: number): boolean => !['', 'Z', 'X'].includes(stateOf(pid))
