import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DatabaseLocation, migrate, openDatabase } from '@hearth/database'
import { createOpenGuarded, createOutboundAllow, createOutboundPolicy } from '@hearth/outbound'
import { createLog, type Timers } from '@hearth/runtime'
import { migrations } from '../src/database/migrations/index.ts'
import type { Tables } from '../src/tables.ts'
import { type ListBundle, openBundle } from '../src/dns/policy/list-bundle.ts'
import type { ResolverList } from '../src/dns/resolver-files.ts'
import { startCompile } from '../src/lists/compile.ts'
import type { UpdateSchedule } from '../src/lists/updates.ts'
import { createLists, type Lists } from '../src/lists/lists.ts'
import type { UpdateReport } from '../src/lists/schema.ts'
import { askBundle } from './ask-bundle.ts'

/** Lists on a real database and a real list server on loopback; in place of the resolver process its compiler alone. */
export interface ListWorld extends AsyncDisposable {
  readonly lists: Lists
  readonly folder: string
  /** Address of a list on the server; `/x` is answered by what `answers` has under it. */
  url(path: string): string
  /** Text, or a whole answer, by path; 404 for others. */
  readonly answers: Map<string, string | RequestListener>
  /** Paths that were asked for. */
  readonly asked: string[]
  /** The lists in force, by number. */
  blocks(name: string): readonly number[]
  readonly published: ResolverList[][]
  readonly progress: UpdateReport[]
  /** Closes the lists and opens them again on the same data. */
  reopen(): Promise<void>
}

/** Options of a test world. */
export interface WorldOptions {
  readonly location?: DatabaseLocation
  readonly schedule?: () => UpdateSchedule
  readonly timers?: Timers
  /** Hosts and networks that may be asked; the list server's. */
  readonly allow?: string
  /** Fake of an absent resolver. */
  readonly publish?: (lists: readonly ResolverList[]) => Promise<undefined>
}

export async function openListWorld(options: WorldOptions = {}): Promise<ListWorld> {
  const world = new World(options)
  await world.begin()
  return world
}

class World implements ListWorld {
  readonly #options: WorldOptions
  readonly #cleanup = new AsyncDisposableStack()
  folder = ''
  readonly answers = new Map<string, string | RequestListener>()
  readonly asked: string[] = []
  readonly published: ResolverList[][] = []
  readonly progress: UpdateReport[] = []
  #port = 0
  #bundle: ListBundle | undefined
  #open: (() => Promise<Lists>) | undefined
  #lists: Lists | undefined

  constructor(options: WorldOptions) {
    this.#options = options
  }

  get lists(): Lists {
    if (this.#lists === undefined) throw new Error('the lists are not open')
    return this.#lists
  }

  async begin(): Promise<void> {
    this.folder = await mkdtemp(join(tmpdir(), 'hearth-lists-'))
    this.#cleanup.defer(() => rm(this.folder, { recursive: true, force: true }))
    const database = openDatabase<Tables>(this.#options.location ?? { file: join(this.folder, 'test.db') })
    this.#cleanup.defer(() => database.close())
    await migrate(database.query, migrations)
    await this.#serve()
    const policy = createOutboundPolicy(createOutboundAllow([this.#options.allow ?? '127.0.0.0/8']), {
      resolver: async () => ['127.0.0.1'],
    })
    const { schedule, timers, publish } = this.#options
    this.#open = () =>
      createLists({
        database,
        log: createLog({ name: 'test', level: 'silent' }),
        directory: this.folder,
        open: createOpenGuarded(policy),
        publish: publish ?? ((lists) => this.#publish(lists)),
        schedule: schedule ?? (() => ({ hours: 24, isChosen: false })),
        onProgress: (report) => void this.progress.push(structuredClone(report)),
        timing: { totalMs: 5000, pausesMs: [10] },
        ...(timers === undefined ? {} : { timers }),
      })
    this.#lists = await this.#open()
  }

  async #serve(): Promise<void> {
    const server = createServer((request, response) => {
      const path = request.url ?? ''
      this.asked.push(path)
      const answer = this.answers.get(path)
      if (typeof answer === 'function') answer(request, response)
      else
        response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'text/plain' }).end(answer ?? 'not here')
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    this.#port = (server.address() as AddressInfo).port
    this.#cleanup.defer(() => {
      server.closeAllConnections()
      server.close()
    })
  }

  async #publish(lists: readonly ResolverList[]) {
    this.published.push([...lists])
    const { memory, reports } = await startCompile(lists, this.folder)
    this.#bundle = openBundle(memory)
    return { reports, names: this.#bundle.names }
  }

  url(path: string): string {
    return `http://lists.test:${this.#port}${path}`
  }

  blocks(name: string): readonly number[] {
    return this.#bundle === undefined ? [] : askBundle(this.#bundle, name).blocks
  }

  async reopen(): Promise<void> {
    await this.lists.close()
    this.#lists = await this.#open?.()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lists?.close()
    await this.#cleanup.disposeAsync()
  }
}
