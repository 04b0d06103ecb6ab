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
  /** Checked every second: the bytes it has written in total, and their maximum. */
  readonly written?: { readonly measure: () => Promise<number>; readonly max: number }
}

/** One run of a tool. */
export interface ToolRun {
  /** Absolute path of the program. */
  readonly program: string
  /** Never contains text of a user, except a checked address or path of ours. */
  readonly args: readonly string[]
  readonly directory: string
  readonly environment?: Readonly<Record<string, string>>
  readonly limits: ToolLimits
  readonly signal: AbortSignal
  /** Each line of stdout as it comes; each as long as the tool writes it. */
  readonly onLine?: (line: string) => void
  /** Takes stdout as it is, instead of lines. A false answer ends the tool early, and well. */
  readonly onBytes?: (chunk: Buffer) => boolean
}

/** Starts each tool in its own process group, so that nothing of it outlives the tool or the service. */
export type ToolRunner = ReturnType<typeof createToolRunner>

/** Collects what a tool writes to stdout, until it is more than `max` bytes. */
export class Collector {
  readonly #max: number
  readonly #chunks: Buffer[] = []
  /** Bytes so far. */
  size = 0

  constructor(max: number) {
    this.#max = max
  }

  /** Takes a chunk; false when there is enough, for `onBytes`. */
  add(chunk: Buffer): boolean {
    this.#chunks.push(chunk)
    this.size += chunk.length
    return this.size <= this.#max
  }

  content(): Buffer {
    return Buffer.concat(this.#chunks)
  }
}

/** Time between SIGTERM and SIGKILL, milliseconds. */
const killDelay = 1000
const maxTail = 8192
const watchInterval = 1000

/** Creates the runner; the guardian ends the tools when this process is killed. */
export function createToolRunner(guardian: Guardian) {
  const wrapper = findWrappers()
  return {
    /** Resolves with the end of what the tool wrote to stderr when it ended well; otherwise throws a `ToolFailure`. */
    async run(run: ToolRun): Promise<string> {
      if (run.signal.aborted) throw new ToolFailure('aborted', { tool: nameOf(run.program) })
      return new OneRun(run, guardian).start(wrapper)
    },
  }
}

/** Finds two programs that every Debian has; elsewhere only the guardian and the checks apply. */
function findWrappers() {
  const find = (name: string) =>
    ['/usr/bin', '/bin'].map((folder) => `${folder}/${name}`).find((file) => existsSync(file))
  return { setpriv: find('setpriv'), prlimit: find('prlimit') }
}

function commandOf(
  { program, args, limits }: ToolRun,
  { setpriv, prlimit }: ReturnType<typeof findWrappers>,
): string[] {
  return [
    ...(setpriv === undefined ? [] : [setpriv, '--pdeathsig', 'KILL', '--no-new-privs']),
    ...(prlimit === undefined
      ? []
      : [prlimit, '--core=0', ...(limits.fileSize === undefined ? [] : [`--fsize=${limits.fileSize}`]), '--']),
    program,
    ...args,
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

  async start(wrappers: ReturnType<typeof findWrappers>): Promise<string> {
    const [program = '', ...args] = commandOf(this.#run, wrappers)
    const child = spawn(program, args, {
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
      // A child that outlives the tool would hold its output open.
      child.once('exit', () => {
        if (group !== undefined) signalGroup(group, 'SIGKILL')
      })
      this.#conclude(await exitOf(child, nameOf(this.#run.program)))
      return this.#tail
    } finally {
      stopWatching()
      this.#cancelKill()
      this.#run.signal.removeEventListener('abort', abort)
      if (group !== undefined) this.#guardian.leave(group)
    }
  }

  #conclude(code: number | null): void {
    const tool = nameOf(this.#run.program)
    if (this.#verdict === 'enough' || (this.#verdict === undefined && code === 0)) return
    throw new ToolFailure(this.#verdict ?? 'exit', { tool, code, output: this.#tail })
  }

  #read(child: ChildProcess, group: number | undefined): void {
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#tail = (this.#tail + text).slice(-maxTail)
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
    this.#cancelKill = endGroup(group, killDelay)
  }

  #watch(group: number): () => void {
    const { limits } = this.#run
    const deadline = setTimeout(() => this.#end(group, 'timeout'), limits.timeoutMs)
    let isChecking = false
    const check = setInterval(() => {
      if (isChecking) return
      isChecking = true
      this.#check(group).then(
        () => (isChecking = false),
        () => (isChecking = false),
      )
    }, watchInterval)
    return () => {
      clearTimeout(deadline)
      clearInterval(check)
    }
  }

  async #check(group: number): Promise<void> {
    const { memory, processes, written } = this.#run.limits
    const use = await readGroupUse(group)
    if (use !== undefined && use.memory > memory) this.#end(group, 'memory')
    if (use !== undefined && use.processes > processes) this.#end(group, 'processes')
    if (written !== undefined && (await written.measure()) > written.max) this.#end(group, 'bytes')
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
