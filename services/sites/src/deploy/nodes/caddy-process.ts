import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, openSync, closeSync } from 'node:fs'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { OperatorError, writeFileAtomic, type Log, type Timers } from '@hearth/runtime'
import { parseAdminAddress, type AdminAddress } from './admin-address.ts'
import { createAdminClient } from './admin-client.ts'

export interface CaddyProcessDependencies {
  /** Its folder, 0700. */
  readonly folder: string
  /** The program; found in PATH when it is a bare name. */
  readonly program: string
  readonly log: Log
  readonly timers: Timers
}

const startLimit = 15_000
const stopLimit = 10_000
const maxPause = 30_000

/**
 * Starts Caddy with a private admin socket, and again whenever it ends. It has its own session: when this process is
 * killed, the sites go on being served, and the next start takes the same Caddy over. Rejects with an `OperatorError` when
 * the program cannot be started at all.
 */
export async function startCaddyProcess(dependencies: CaddyProcessDependencies): Promise<CaddyProcess> {
  const { folder } = dependencies
  const socket = join(folder, 'admin.sock')
  const admin = checkedAddress(`unix/${socket}`)
  for (const path of [folder, join(folder, 'storage'), join(folder, 'logs')])
    await mkdir(path, { recursive: true, mode: 0o700 })
  const keeper = new CaddyProcess(dependencies, admin)
  await keeper.begin()
  return keeper
}

function checkedAddress(text: string): AdminAddress {
  try {
    return parseAdminAddress(text)
  } catch (error) {
    throw new OperatorError(`DATA_DIR: ${(error as Error).message}`, { cause: error })
  }
}

/** A Caddy that this service started, in this run or an earlier one. */
export class CaddyProcess {
  readonly admin: AdminAddress
  /** Folder for its certificates and keys. */
  readonly storage: string
  /** Folder for its access logs. */
  readonly logs: string
  readonly #dependencies: CaddyProcessDependencies
  #pid: number | undefined
  #failure: string | undefined
  #isClosed = false
  #failures = 0
  #onRestarted: () => void = () => undefined
  #cancelNext: () => void = () => undefined
  /** Resolves when a start in progress has ended. */
  #starting: Promise<void> = Promise.resolve()

  constructor(dependencies: CaddyProcessDependencies, admin: AdminAddress) {
    this.#dependencies = dependencies
    this.admin = admin
    this.storage = join(dependencies.folder, 'storage')
    this.logs = join(dependencies.folder, 'logs')
  }

  /** Reason why it does not run; undefined while it does. */
  get failure(): string | undefined {
    return this.#failure
  }

  /** Calls back whenever Caddy was started again and answers. */
  onRestarted(listener: () => void): void {
    this.#onRestarted = listener
  }

  async begin(): Promise<void> {
    this.#pid = await this.#findEarlier()
    if (this.#pid !== undefined) {
      this.#watchEarlier(this.#pid)
      return
    }
    const child = await this.#start()
    if (await this.#answers(child)) return
    const words = await this.#lastWords()
    this.#isClosed = true
    this.#cancelNext()
    this.#end()
    throw new OperatorError(`Caddy did not start: ${words}`)
  }

  /** Also stops Caddy: a deliberate stop of the service stops all of it. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelNext()
    await this.#starting
    const pid = this.#pid
    if (pid === undefined) return
    this.#end()
    const end = Date.now() + stopLimit
    while (isRunning(pid) && Date.now() < end) await pause(50)
    if (isRunning(pid)) process.kill(pid, 'SIGKILL')
    await rm(this.#pidFile, { force: true })
  }

  #end(): void {
    if (this.#pid !== undefined && isRunning(this.#pid)) process.kill(this.#pid, 'SIGTERM')
  }

  get #pidFile(): string {
    return join(this.#dependencies.folder, 'caddy.pid')
  }

  /** The Caddy of a killed run, if it still answers on the admin socket. */
  async #findEarlier(): Promise<number | undefined> {
    const pid = await findEarlierCaddy(this.#dependencies.folder)
    if (pid === undefined) return undefined
    const isAnswering = await createAdminClient(this.admin)
      .readConfig()
      .then(
        () => true,
        () => false,
      )
    if (isAnswering) return pid
    process.kill(pid, 'SIGKILL')
    return undefined
  }

  /** A process of an earlier run is no child, so its end is polled. */
  #watchEarlier(pid: number): void {
    this.#cancelNext = this.#dependencies.timers.after(1000, () => {
      if (this.#isClosed) return
      if (isRunning(pid)) this.#watchEarlier(pid)
      else this.#onEnd('it ended')
    })
  }

  async #start(): Promise<ChildProcess> {
    const { folder, program } = this.#dependencies
    const config = join(folder, 'start.json')
    await writeFileAtomic(config, JSON.stringify({ admin: { listen: `unix/${join(folder, 'admin.sock')}` } }))
    await rm(join(folder, 'admin.sock'), { force: true })
    const output = openSync(join(folder, 'output.log'), 'w', 0o600)
    const child = spawn(program, ['run', '--config', config], {
      cwd: folder,
      detached: true,
      stdio: ['ignore', output, output],
      env: { PATH: process.env['PATH'] ?? '', HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    })
    closeSync(output)
    child.unref()
    child.on('error', (error) => this.#onEnd(error.message))
    child.on('exit', (code, signal) => this.#onEnd(`it ended with ${signal ?? code ?? 'no code'}`))
    this.#pid = child.pid
    if (child.pid !== undefined) await writeFileAtomic(this.#pidFile, `${child.pid}\n`)
    return child
  }

  async #answers(child: ChildProcess): Promise<boolean> {
    const client = createAdminClient(this.admin)
    const end = Date.now() + startLimit
    const mayCome = () => child.pid !== undefined && isAlive(child) && Date.now() < end && !this.#isClosed
    while (mayCome()) {
      const isUp = await client.readConfig().then(
        () => true,
        () => false,
      )
      if (isUp) return true
    }
    return false
  }

  #onEnd(reason: string): void {
    this.#pid = undefined
    this.#failure = `Caddy does not run: ${reason}`
    if (this.#isClosed) return
    const pauseMs = Math.min(maxPause, 500 * 2 ** this.#failures)
    this.#failures += 1
    this.#dependencies.log.warn({ reason, pauseMs }, 'Caddy ended; it is started again')
    this.#cancelNext = this.#dependencies.timers.after(pauseMs, () => {
      this.#starting = this.#again()
    })
  }

  async #again(): Promise<void> {
    if (this.#isClosed) return
    try {
      const child = await this.#start()
      if (!(await this.#answers(child))) return
      this.#failure = undefined
      this.#failures = 0
      this.#onRestarted()
    } catch (error) {
      this.#onEnd((error as Error).message)
    }
  }

  async #lastWords(): Promise<string> {
    const file = join(this.#dependencies.folder, 'output.log')
    const lines = existsSync(file) ? (await readFile(file, 'utf8')).trim().split('\n') : []
    return lines.at(-1)?.slice(0, 500) || (this.#failure ?? 'no reason was given')
  }
}

const isAlive = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** The process of a Caddy that an earlier run left running in this folder. */
export async function findEarlierCaddy(folder: string): Promise<number | undefined> {
  const text = await readFile(join(folder, 'caddy.pid'), 'utf8').catch(() => '')
  const pid = Number(text.trim())
  if (!Number.isInteger(pid) || pid <= 1) return undefined
  // Process ids are reused, so the command line must name this folder.
  const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  return words.split('\0').includes(join(folder, 'start.json')) ? pid : undefined
}
