import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Guardian } from './guardian.ts'
import { endGroup, readGroupUse, signalGroup } from './process-group.ts'
import { ToolFailure, type ToolFailureKind } from './tool-failure.ts'

/** Limits of a tool. The service enforces all of them, whatever the tool promises. */
export interface ToolLimits {
  readonly timeoutMs: number
  /** Resident memory of all its processes, bytes. */
  readonly memory: number
  readonly processes: number
  /** Largest single file it may write, bytes. */
  readonly fileSize?: number
  /** Asked every second: what it has written in all, and how much that may be. */
  readonly written?: { readonly measure: () => Promise<number>; readonly most: number }
}

/** One run of a tool. */
export interface ToolRun {
  /** Absolute path of the program. */
  readonly program: string
  /** Never contains text of a user, except a checked address or path of ours. */
  readonly words: readonly string[]
  readonly directory: string
  readonly environment?: Readonly<Record<string, string>>
  readonly limits: ToolLimits
  readonly signal: AbortSignal
  /** Each line of stdout as it comes; lines longer than `longestLine` are cut off. */
  readonly onLine?: (line: string) => void
  /** Takes stdout as it is, instead of lines. A false answer ends the tool early, and well. */
  readonly onBytes?: (chunk: Buffer) => boolean
}

/** Starts tools in process groups of their own, so that nothing of one outlives it, or us. */
export interface ToolRunner {
  /** Resolves when the tool ended well, with the end of its stderr; otherwise throws a `ToolFailure`. */
  run(run: ToolRun): Promise<{ stderr: string }>
}

/** Time that a tool has to end when it is told to, milliseconds. */
const patience = 1000
const longestTail = 8192
const watchEvery = 1000

/** Makes the runner; the guardian ends the tools when this process is killed. */
export function createToolRunner(guardian: Guardian): ToolRunner {
  const wrapper = findWrappers()
  return {
    async run(run) {
      if (run.signal.aborted) throw new ToolFailure('aborted', { tool: nameOf(run.program) })
      return new OneRun(run, guardian).start(wrapper)
    },
  }
}

interface Wrappers {
  readonly setpriv: string | undefined
  readonly prlimit: string | undefined
}

/** Two programs that every Debian has; elsewhere the guardian and the watching remain. */
function findWrappers(): Wrappers {
  const find = (name: string) =>
    ['/usr/bin', '/bin'].map((folder) => `${folder}/${name}`).find((file) => existsSync(file))
  return { setpriv: find('setpriv'), prlimit: find('prlimit') }
}

function commandOf({ program, words, limits }: ToolRun, { setpriv, prlimit }: Wrappers): string[] {
  return [
    ...(setpriv === undefined ? [] : [setpriv, '--pdeathsig', 'KILL', '--no-new-privs']),
    ...(prlimit === undefined
      ? []
      : [prlimit, '--core=0', ...(limits.fileSize === undefined ? [] : [`--fsize=${limits.fileSize}`]), '--']),
    program,
    ...words,
  ]
}

class OneRun {
  readonly #run: ToolRun
  readonly #guardian: Guardian
  #verdict: ToolFailureKind | 'enough' | undefined
  #tail = ''
  #cancelKill: () => void = () => undefined

  constructor(run: ToolRun, guardian: Guardian) {
    this.#run = run
    this.#guardian = guardian
  }

  async start(wrappers: Wrappers): Promise<{ stderr: string }> {
    const [program = '', ...words] = commandOf(this.#run, wrappers)
    const child = spawn(program, words, {
      cwd: this.#run.directory,
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8', ...this.#run.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    const group = child.pid
    if (group !== undefined) this.#guardian.enter(group)
    const abort = () => this.#end(group, 'aborted')
    this.#run.signal.addEventListener('abort', abort, { once: true })
    const stopWatching = group === undefined ? () => undefined : this.#watch(group)
    try {
      this.#read(child, group)
      // A child that outlives the tool would hold its output open; it is nobody's.
      child.once('exit', () => {
        if (group !== undefined) signalGroup(group, 'SIGKILL')
      })
      const code = await exitOf(child, nameOf(this.#run.program))
      return this.#conclude(code)
    } finally {
      stopWatching()
      this.#cancelKill()
      this.#run.signal.removeEventListener('abort', abort)
      if (group !== undefined) this.#guardian.leave(group)
    }
  }

  #conclude(code: number | null): { stderr: string } {
    const tool = nameOf(this.#run.program)
    if (this.#verdict === 'enough' || (this.#verdict === undefined && code === 0)) return { stderr: this.#tail }
    throw new ToolFailure(this.#verdict ?? 'exit', { tool, code, output: this.#tail })
  }

  #read(child: ChildProcess, group: number | undefined): void {
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#tail = (this.#tail + text).slice(-longestTail)
    })
    const { onBytes, onLine } = this.#run
    if (onBytes !== undefined) {
      child.stdout?.on('data', (chunk: Buffer) => {
        if (this.#verdict === undefined && !onBytes(chunk)) this.#end(group, 'enough')
      })
    } else if (onLine !== undefined && child.stdout !== null) {
      createInterface({ input: child.stdout }).on('line', onLine)
    } else child.stdout?.resume()
  }

  #end(group: number | undefined, verdict: ToolFailureKind | 'enough'): void {
    if (this.#verdict !== undefined || group === undefined) return
    this.#verdict = verdict
    this.#cancelKill = endGroup(group, patience)
  }

  #watch(group: number): () => void {
    const { limits } = this.#run
    const deadline = setTimeout(() => this.#end(group, 'timeout'), limits.timeoutMs)
    let isLooking = false
    const look = setInterval(() => {
      if (isLooking) return
      isLooking = true
      this.#look(group).then(
        () => (isLooking = false),
        () => (isLooking = false),
      )
    }, watchEvery)
    return () => {
      clearTimeout(deadline)
      clearInterval(look)
    }
  }

  async #look(group: number): Promise<void> {
    const { memory, processes, written } = this.#run.limits
    const use = await readGroupUse(group)
    if (use !== undefined && use.memory > memory) this.#end(group, 'memory')
    if (use !== undefined && use.processes > processes) this.#end(group, 'processes')
    if (written !== undefined && (await written.measure()) > written.most) this.#end(group, 'bytes')
  }
}

const nameOf = (program: string): string => program.slice(program.lastIndexOf('/') + 1)

/** Resolves with the exit code once the output is read to its end; null when a signal ended it. */
function exitOf(child: ChildProcess, tool: string): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.on('error', () => reject(new ToolFailure('missing', { tool })))
    child.on('close', (code) => resolve(code))
  })
}
