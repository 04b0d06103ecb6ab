import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { shutdownLimit } from '@hearth/runtime/lifecycle'
import { nodeFlags } from '../../cli/memory-limits.mjs'

/** Time after a change in which further ones belong to it: an editor writes several files one after the other. */
const settleMs = 100

/** A service that runs from its sources and begins anew with each change of them. */
export class SourceProcess {
  readonly #name: string
  #child: ChildProcess | undefined
  #isClosed = false
  #turn: Promise<void> = Promise.resolve()
  #settling: NodeJS.Timeout | undefined

  constructor(name: string) {
    this.#name = name
    this.#start()
  }

  /** To be called when a source changed. */
  changed(): void {
    clearTimeout(this.#settling)
    this.#settling = setTimeout(() => {
      this.#turn = this.#turn.then(() => this.#again())
    }, settleMs)
  }

  /** Stops the service. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#settling)
    await this.#turn
    await this.#stop()
  }

  async #again(): Promise<void> {
    await this.#stop()
    if (!this.#isClosed) this.#start()
  }

  #start(): void {
    const args = [...nodeFlags, join(import.meta.dirname, 'serve-sources.ts'), this.#name]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], detached: true })
    this.#child = child
    child.on('exit', (code, signal) => {
      if (this.#child !== child) return
      this.#child = undefined
      if (!this.#isClosed)
        process.stderr.write(`hearth: ${this.#name} ended (${signal ?? code}); it starts with the next change\n`)
    })
  }

  async #stop(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, 'exit')
    const timer = setTimeout(() => child.kill('SIGKILL'), shutdownLimit)
    child.kill('SIGTERM')
    await exit
    clearTimeout(timer)
  }
}
