import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { NetworkHost, RunningCommand } from './network-hosts.ts'
import type { RelayAnswer, RelayRequest } from './http-relay.ts'

const commandLine = join(import.meta.dirname, '../../../cli/hearth.mjs')
const relay = join(import.meta.dirname, 'http-relay.ts')

/** An answer of the API. */
export interface Answer {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies freely
  readonly body: any
  readonly text: string
  /** Duration on the service's host. */
  readonly milliseconds: number
}

/** Result of a command. */
export interface Ended {
  readonly code: number | undefined
  readonly stdout: string
  readonly stderr: string
}

/** Hearth VPN as a real process on a test host, reached from this process through a relay on that host. */
export interface HostedService {
  readonly folder: string
  /** The process that serves now. */
  pid(): number
  /** Starts the process and waits until it listens. */
  start(): Promise<void>
  /** Sends SIGTERM and waits for the end. */
  stop(): Promise<Ended>
  /** Ends it as a crash would. */
  kill(): Promise<void>
  /** Runs `hearth vpn …` on the host with the same settings, for 30 s at most. */
  command(...words: string[]): Promise<Ended>
  /** A request with the administrator's token; rejects when there is no answer. */
  call(method: string, path: string, body?: unknown): Promise<Answer>
  /** As `call`, and rejects unless it succeeded; returns the `data` of the answer. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies freely
  done(method: string, path: string, body?: unknown): Promise<any>
  /** Everything the process wrote so far, over all starts. */
  output(): string
}

/**
 * Prepares the service on a host with a data folder and an administrator's token, which exists before the first start.
 * The relay and the service end with the host.
 */
export async function createHostedService(
  host: NetworkHost,
  folder: string,
  environment: Record<string, string> = {},
): Promise<HostedService> {
  const settings = {
    DATA_DIR: join(folder, 'data'),
    WIREGUARD_BACKEND: 'userspace',
    BIND_PORT: '8101',
    RATE_LIMIT_EXEMPT: '127.0.0.1',
    LOG_LEVEL: 'warn',
    ...environment,
  }
  const service = new ServiceOnHost(host, folder, settings)
  await service.prepare()
  return service
}

class ServiceOnHost implements HostedService {
  readonly folder: string
  readonly #host: NetworkHost
  readonly #settings: Record<string, string>
  readonly #relay: Relay
  #token = ''
  #process: RunningCommand | undefined
  #output = ''

  constructor(host: NetworkHost, folder: string, settings: Record<string, string>) {
    this.#host = host
    this.folder = folder
    this.#settings = settings
    this.#relay = new Relay(host)
  }

  async prepare(): Promise<void> {
    const words = ['token', 'create', '--user', 'admin', '--name', 'test', '--permissions', 'full']
    const { code, stdout, stderr } = await this.command(...words)
    if (code !== 0) throw new Error(`no token: ${stderr}`)
    this.#token = stdout.trim()
  }

  pid(): number {
    const pid = this.#process?.pid
    if (pid === undefined) throw new Error('the service does not run')
    return pid
  }

  async start(): Promise<void> {
    const child = this.#run('serve')
    this.#process = child
    await new Promise<void>((resolve, reject) => {
      const take = (chunk: Buffer) => {
        this.#output += chunk.toString()
        if (/^listening on http:/m.test(chunk.toString())) resolve()
      }
      child.stdout.on('data', take)
      child.stderr.on('data', take)
      void child.then(({ exitCode }) =>
        reject(new Error(`the service ended with ${exitCode ?? 'a signal'}: ${this.#output}`)),
      )
    })
  }

  async stop(): Promise<Ended> {
    return this.#end('SIGTERM')
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  async #end(signal: NodeJS.Signals): Promise<Ended> {
    const child = this.#process
    if (child === undefined) throw new Error('the service does not run')
    this.#process = undefined
    child.kill(signal)
    return endedOf(await child)
  }

  async command(...words: string[]): Promise<Ended> {
    const child = this.#run(...words)
    const timer = setTimeout(() => child.kill('SIGKILL'), 30_000)
    const ended = await child
    clearTimeout(timer)
    return endedOf(ended)
  }

  #run(...words: string[]): RunningCommand {
    const { PATH = '', HOME = '' } = process.env
    const variables = Object.entries({ PATH, HOME, ...this.#settings }).map(([name, value]) => `${name}=${value}`)
    return this.#host.start('env', '-i', ...variables, process.execPath, commandLine, 'vpn', ...words)
  }

  async call(method: string, path: string, body?: unknown): Promise<Answer> {
    const { status, text, milliseconds } = await this.#relay.send({
      method,
      url: `http://127.0.0.1:${this.#settings['BIND_PORT']}${path}`,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    })
    return { status, text, milliseconds, body: text.startsWith('{') ? JSON.parse(text) : undefined }
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- as declared above
  async done(method: string, path: string, body?: unknown): Promise<any> {
    const { status, text, body: answered } = await this.call(method, path, body)
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text}`)
    return answered === undefined ? text : answered.data
  }

  output(): string {
    return this.#output
  }
}

function endedOf({ exitCode, stdout, stderr }: { exitCode?: number; stdout: string; stderr: string }): Ended {
  return { code: exitCode, stdout, stderr }
}

/** This end of the relay. */
class Relay {
  readonly #child: RunningCommand
  readonly #waiting = new Map<number, PromiseWithResolvers<RelayAnswer>>()
  #lastId = 0

  constructor(host: NetworkHost) {
    this.#child = host.start(process.execPath, relay)
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const answer = JSON.parse(line) as RelayAnswer
      this.#waiting.get(answer.id)?.resolve(answer)
      this.#waiting.delete(answer.id)
    })
    this.#child.stdout.on('close', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('the relay ended'))
    })
  }

  async send(request: Omit<RelayRequest, 'id'>): Promise<Exclude<RelayAnswer, { failure: string }>> {
    const id = (this.#lastId += 1)
    const waiting = Promise.withResolvers<RelayAnswer>()
    this.#waiting.set(id, waiting)
    this.#child.stdin.write(`${JSON.stringify({ id, ...request })}\n`)
    const answer = await waiting.promise
    if ('failure' in answer) throw new Error(`${request.method} ${request.url}: ${answer.failure}`)
    return answer
  }
}
