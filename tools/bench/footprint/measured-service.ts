import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import {
  childrenOf,
  createVisitor,
  freePort,
  nextAddress,
  readProcessMemory,
  type FootprintSubject,
  type ProcessMemory,
  type Visitor,
} from '@hearth/testing'
import { nodeFlags, variables } from '../../../cli/memory-limits.mjs'
import { root } from '../../../cli/services.ts'

const commandLine = join(root, 'cli/hearth.mjs')

const scrapeToken = 'only-for-the-scrapes-of-this-measurement'

/** Milliseconds. */
const startLimit = 30_000

/** A service as an operator runs it, whose memory is read. */
export interface MeasuredService extends AsyncDisposable {
  /** From the start of the process to its first answer, milliseconds. */
  readonly startMs: number
  readonly visitor: Visitor
  /** Memory of the service and of the resolver that it runs, by name. */
  memory(): Promise<Map<string, ProcessMemory>>
  stop(): Promise<void>
}

/** Starts a service on a data directory, on one core when `core` is given, and waits for its first answer. */
export async function startMeasured(
  subject: FootprintSubject,
  folder: string,
  core?: number,
): Promise<MeasuredService> {
  const port = await freePort()
  // As `hearth up` and the packages start it.
  const words = [process.execPath, ...nodeFlags, commandLine, subject.service, 'serve']
  const [program = '', ...args] = core === undefined ? words : ['taskset', '-c', String(core), ...words]
  const environment = {
    DATA_DIR: folder,
    BIND_PORT: String(port),
    TRUSTED_PROXIES: '127.0.0.1',
    METRICS_TOKEN: scrapeToken,
    LOG_LEVEL: 'error',
  }
  const begin = performance.now()
  const child = spawn(program, args, {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...variables, ...environment, ...subject.environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const url = `http://127.0.0.1:${port}`
  await untilAnswers(child, `${url}${subject.liveness}`)
  const startMs = performance.now() - begin
  const pid = child.pid ?? 0
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit', { signal: AbortSignal.timeout(25_000) })
  }
  return {
    startMs,
    visitor: createVisitor(url),
    memory: () => memoryOf(subject.service, pid),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** Asks for everything that a person's pages and a scraper ask for in an hour, in the order of an hour. */
export async function useForAnHour({ visitor }: MeasuredService, { hour }: FootprintSubject): Promise<void> {
  const calls = Object.entries(hour).flatMap(([path, times]) =>
    Array.from({ length: times }, (_, index) => ({ path, at: (index + 0.5) / times })),
  )
  for (const { path } of calls.toSorted((a, b) => a.at - b.at)) {
    const token = path === '/metrics' ? { authorization: `Bearer ${scrapeToken}` } : {}
    const headers = { ...token, 'x-forwarded-for': nextAddress() }
    await visitor.demand('GET', path, { headers })
  }
}

async function untilAnswers(child: ChildProcess, url: string): Promise<void> {
  const end = performance.now() + startLimit
  while (performance.now() < end) {
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}`)
    const response = await fetch(url).catch(() => undefined)
    await response?.bytes()
    if (response?.ok === true) return
    await pause(3)
  }
  child.kill('SIGKILL')
  throw new Error(`${url} does not answer`)
}

async function memoryOf(service: string, pid: number): Promise<Map<string, ProcessMemory>> {
  const found = new Map([[service, await readProcessMemory(pid)]])
  for (const child of await childrenOf(pid)) {
    const title = await readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '')
    if (title.includes('resolver')) found.set('resolver', await readProcessMemory(child))
  }
  return found
}
