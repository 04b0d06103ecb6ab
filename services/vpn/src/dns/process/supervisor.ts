import { fork, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Explanation, FromResolver, ResolverState, ToResolver } from './messages.ts'
import type { ListsChange } from './lists-in-force.ts'

/** What the resolver process may see of the service's environment: nothing that is a secret. */
const environment = ['PATH', 'TZ', 'LANG', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'] as const
const answerMs = 15_000
const compileMs = 150_000
const silenceMs = 6000
const stopMs = 6000
const longestPauseMs = 5000
/** A process that lived so long did not die of its start. */
const healthyMs = 10_000
const crashes = new Set<string | null>(['SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGABRT'])

/** What a supervisor is made with. */
export interface SupervisorParts {
  /** `DATA_DIR/dns`. */
  readonly directory: string
  readonly warn: (message: string) => void
  /** How the resolver does, about every second; undefined when it died. */
  readonly stateChanged?: (state: ResolverState | undefined) => void
  /** So many queries were answered since. */
  readonly answered?: (count: number) => void
}

type Request = Exclude<ToResolver, { type: 'stop' }>
type Unnumbered<T> = T extends unknown ? Omit<T, 'id'> : never
type Answer = Exclude<FromResolver, { type: 'ready' | 'state' | 'queries' | 'failed' }>

/** The resolver, as the service has it: it comes back by itself. */
export interface ResolverSupervisor {
  /** Resolves when the resolver answers for the first time, or rejects when it does not within 15 s. */
  ready(): Promise<void>
  /** How it does; undefined while it does not run. */
  state(): ResolverState | undefined
  /** Its process; undefined while there is none. */
  pid(): number | undefined
  /** How often it was started anew. */
  restarts(): number
  /** Puts a file that was written in force for the next query; rejects with the reason. */
  changed(file: 'settings' | 'clients' | 'rules'): Promise<void>
  /** Compiles the lists and puts them in force. */
  changedLists(): Promise<ListsChange>
  explain(question: { domain: string; client: number; resolve: boolean }): Promise<Explanation>
  /** Asks an upstream, given as operators write it; milliseconds. Rejects with the reason. */
  askUpstream(upstream: string): Promise<number>
  purgeLog(before: number, client: number | null): Promise<void>
  clearCache(): Promise<void>
  close(): Promise<void>
}

interface Waiting {
  readonly message: ToResolver
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: Error) => void
}

/**
 * Starts the resolver process and keeps it running: at once when it died, after growing pauses when it dies again and again, by
 * force when it is silent. What was asked of one that died is asked again of the next.
 */
export function superviseResolver(parts: SupervisorParts): ResolverSupervisor {
  const waiting = new Map<number, Waiting>()
  const ready = Promise.withResolvers<void>()
  let nextId = 1
  let restarts = 0
  let pauseMs = 0
  let crashed = 0
  let isClosed = false
  let state: ResolverState | undefined
  let child: ChildProcess | undefined
  ready.promise.catch(() => undefined)
  setTimeout(() => ready.reject(new Error('the resolver did not start')), answerMs).unref()
  start()

  function start(): void {
    const started = fork(new URL('resolver.ts', import.meta.url), argumentsFor(), {
      execArgv: ['--disable-warning=ExperimentalWarning'],
      env: environmentFor(parts.directory),
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    child = started
    const startedAt = performance.now()
    const alarm = createAlarm(() => started.kill('SIGKILL'))
    if (started.stderr !== null) createInterface(started.stderr).on('line', (line) => parts.warn(line.slice(0, 500)))
    started.on('message', (message: FromResolver) => {
      alarm.heard()
      hear(message)
    })
    started.on('error', (error) => parts.warn(`the resolver: ${error.message}`))
    started.on('exit', (code, signal) => {
      alarm.stop()
      ended(signal ?? code, performance.now() - startedAt)
    })
    for (const { message } of waiting.values()) started.send(message, ignore)
  }

  function argumentsFor(): string[] {
    return crashed >= 3 ? [parts.directory, '--cautious'] : [parts.directory]
  }

  function ended(reason: string | number | null, livedMs: number): void {
    child = undefined
    state = undefined
    parts.stateChanged?.(undefined)
    if (isClosed) return
    restarts += 1
    if (crashes.has(String(reason))) crashed += 1
    pauseMs = livedMs > healthyMs ? 0 : Math.min(longestPauseMs, pauseMs === 0 ? 10 : pauseMs * 4)
    parts.warn(`the resolver ended (${reason}); it is started again`)
    setTimeout(() => {
      if (!isClosed) start()
    }, pauseMs)
  }

  function hear(message: FromResolver): void {
    if (message.type === 'ready') return ready.resolve()
    if (message.type === 'state') {
      ;({ state } = message)
      return parts.stateChanged?.(state)
    }
    if (message.type === 'queries') return parts.answered?.(message.count)
    const asked = waiting.get(message.id)
    waiting.delete(message.id)
    if (message.type === 'failed') asked?.reject(new Error(message.message))
    else asked?.resolve(message)
  }

  function request(message: Unnumbered<Request>, timeoutMs = answerMs): Promise<Answer> {
    const id = nextId++
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const numbered = { ...message, id } as Request
    waiting.set(id, { message: numbered, resolve, reject })
    const timer = setTimeout(() => reject(new Error('the resolver did not answer')), timeoutMs)
    child?.send(numbered, ignore)
    return promise.finally(() => {
      clearTimeout(timer)
      waiting.delete(id)
    })
  }

  return {
    ready: () => ready.promise,
    state: () => state,
    pid: () => child?.pid,
    restarts: () => restarts,
    async changed(file) {
      await request({ type: 'changed', file })
    },
    async changedLists() {
      const answer = await request({ type: 'changed', file: 'lists' }, compileMs)
      if (answer.type !== 'lists') throw new Error('the resolver answered something else')
      return answer
    },
    async explain(question) {
      const answer = await request({ type: 'explain', ...question })
      if (answer.type !== 'explanation') throw new Error('the resolver answered something else')
      return answer.explanation
    },
    async askUpstream(upstream) {
      const answer = await request({ type: 'ask-upstream', upstream })
      if (answer.type !== 'asked') throw new Error('the resolver answered something else')
      return answer.ms
    },
    async purgeLog(before, client) {
      await request({ type: 'purge-log', before, client }, compileMs)
    },
    async clearCache() {
      await request({ type: 'clear-cache' })
    },
    async close() {
      isClosed = true
      for (const { reject } of waiting.values()) reject(new Error('the service ends'))
      if (child === undefined) return
      const ending = child
      const exit = new Promise((resolve) => ending.once('exit', resolve))
      const timer = setTimeout(() => ending.kill('SIGKILL'), stopMs)
      ending.send({ type: 'stop' } satisfies ToResolver, ignore)
      await exit
      clearTimeout(timer)
    },
  }
}

const environmentFor = (directory: string): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(environment.map((name) => [name, process.env[name]])),
  NODE_COMPILE_CACHE: join(directory, 'compile-cache'),
})

/** Rings when nothing is heard any more. When this process was busy itself, what came meanwhile is heard first. */
function createAlarm(ring: () => void) {
  let heardAt = performance.now()
  let isSecondLook = false
  let patienceMs = answerMs
  const timer = setInterval(() => {
    if (performance.now() - heardAt < patienceMs) return
    if (isSecondLook) ring()
    isSecondLook = true
  }, 500)
  return {
    heard() {
      heardAt = performance.now()
      isSecondLook = false
      patienceMs = silenceMs
    },
    stop: () => clearInterval(timer),
  }
}

/** A message to a process that just ended fails; its end is heard of anyway. */
const ignore = (): void => undefined
