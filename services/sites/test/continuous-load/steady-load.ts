import { Agent, request, type ClientRequest, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'

/** The request that is sent over and over. */
export interface Target {
  readonly port: number
  readonly host: string
  readonly path: string
  /** The expected answer, to the letter. */
  readonly body: string
}

/** Outcomes of the requests. */
export interface LoadReport {
  /** Requests by the way they were made. */
  readonly asked: Readonly<Record<string, number>>
  /** Each one that was not answered as it must be; the first of them in words. */
  readonly failures: readonly string[]
  readonly failed: number
  /**
   * Requests that went out on a kept connection just when the server closed it, and were sent again on a fresh one, as HTTP has
   * it (RFC 9112, 9.3.1) and every browser does.
   */
  readonly sentAgain: number
}

/** Requests that do not end. */
export interface SteadyLoad {
  /** Lets those under way come to their end. */
  stop(): Promise<LoadReport>
}

const limitMs = 20_000
const maxWords = 20

/**
 * Asks each of `fresh` again and again, each time over a connection of its own; `kept` over one connection that is kept; and
 * `slow`, whose answer takes seconds. Every answer that is late, broken off or another one is a failure.
 */
export function startLoad(targets: {
  readonly fresh: readonly Target[]
  readonly kept: Target
  readonly slow: Target
}): SteadyLoad {
  const load = new Load()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const loops = [
    ...targets.fresh.map((target) => load.repeat('fresh', () => ask(target, false))),
    load.repeat('kept', () => load.askAgain(targets.kept, agent)),
    load.repeat('slow', () => ask(targets.slow, false)),
  ]
  return {
    async stop() {
      load.isStopping = true
      await Promise.all(loops)
      agent.destroy()
      return load.report()
    },
  }
}

class Load {
  isStopping = false
  readonly #asked: Record<string, number> = {}
  readonly #failures: string[] = []
  #failed = 0
  #sentAgain = 0

  async repeat(way: string, once: () => Promise<void>): Promise<void> {
    while (!this.isStopping) {
      this.#asked[way] = (this.#asked[way] ?? 0) + 1
      try {
        await once()
      } catch (error) {
        this.#failed += 1
        if (this.#failures.length < maxWords) this.#failures.push(`${way}: ${(error as Error).message}`)
      }
      await pause(2)
    }
  }

  async askAgain(target: Target, agent: Agent): Promise<void> {
    try {
      await ask(target, agent)
    } catch (error) {
      if (!(error instanceof ClosedMeanwhile)) throw error
      this.#sentAgain += 1
      await ask(target, false)
    }
  }

  report(): LoadReport {
    return { asked: this.#asked, failures: this.#failures, failed: this.#failed, sentAgain: this.#sentAgain }
  }
}

/** The server closed a kept connection before it saw the request. */
class ClosedMeanwhile extends Error {}

async function ask(target: Target, agent: Agent | false): Promise<void> {
  const { port, host, path, body } = target
  const outgoing = request({ host: '127.0.0.1', port, path, headers: { host }, agent, timeout: limitMs })
  outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in time')))
  outgoing.end()
  const answer = await answerTo(outgoing, host)
  const text = Buffer.concat((await answer.toArray()) as Buffer[]).toString()
  if (answer.statusCode === 200 && text === body) return
  throw new Error(`${host} answered ${answer.statusCode} with ${text.length} characters: ${text.slice(0, 100)}`)
}

async function answerTo(outgoing: ClientRequest, host: string): Promise<IncomingMessage> {
  try {
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
    return answer
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (outgoing.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE')) throw new ClosedMeanwhile()
    throw new Error(`${host}: ${code} ${(error as Error).message}`, { cause: error })
  }
}
