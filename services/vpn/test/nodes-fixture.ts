import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort, temporaryDirectory } from '@hearth/testing'
import { z } from 'zod'
import { ControlLink } from '../src/node-agent/control-link.ts'
import type { Identity } from '../src/node-agent/identity.ts'
import { joinService } from '../src/node-agent/join.ts'
import { DnsManifest } from '../src/nodes/dns/manifest.ts'
import {
  linkPaths,
  type PageQuery,
  PageQueryAnswer,
  QueryBatchAnswer,
  type Report,
  ReportAnswer,
  StateAnswer,
  type TrafficBatch,
} from '../src/nodes/link-schema.ts'
import type { NodeState } from '../src/nodes/node-state.ts'
import type { Node, NodeJoin, NodeList } from '../src/nodes/schema.ts'
import { startService, type TestService } from './in-process.ts'

/** A service that listens for nodes at a port of loopback. */
export interface NodesFixture extends AsyncDisposable {
  readonly service: TestService
  readonly port: number
  /** Where nodes reach it. */
  readonly url: string
  add(name: string): Promise<NodeJoin>
  list(): Promise<Node[]>
  /** Joins as a host whose data lies in a folder of this name; the URL is that of the service unless another is named. */
  join(folder: string, token: string, more?: { url?: string; isReplaced?: boolean }): Promise<Identity>
}

export async function startWithNodes(environment: Record<string, string> = {}): Promise<NodesFixture> {
  const port = await freePort()
  const service = await startService({ VPN_NODES_LISTEN: `127.0.0.1:${port}`, ...environment })
  const url = `https://127.0.0.1:${port}`
  return {
    service,
    port,
    url,
    async add(name) {
      const reply = await service.call('POST', '/api/nodes', { name })
      assert.equal(reply.status, 201, reply.text)
      return reply.body.data
    },
    async list() {
      const { nodes }: NodeList = (await service.call('GET', '/api/nodes')).body.data
      return nodes
    },
    join: (folder, token, more = {}) =>
      joinService({
        dataDirectory: join(service.folder, 'hosts', folder),
        url,
        token,
        version: '0.1.0',
        isReplaced: false,
        ...more,
      }),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

/** Makes a request that the service must answer with success; resolves with the data of the answer. */
export async function done(world: NodesFixture, method: string, path: string, body?: object) {
  const reply = await world.service.call(method, path, body)
  assert.ok(reply.status < 300, reply.text)
  return reply.body.data
}

/** Sends one report with an identity; resolves with the name by which the service knows it. */
export async function reportAs(identity: Pick<Identity, 'url' | 'authority'> & Partial<Identity>): Promise<string> {
  const link = new ControlLink(identity)
  try {
    return (await link.send(linkPaths.report, { version: '0.1.0' }, { answer: ReportAnswer })).name
  } finally {
    link.close()
  }
}

/** What a node says of traffic in one batch. */
export type BatchPeer = TrafficBatch['peers'][number]

const DnsAnswer = z.object({ revision: z.string(), manifest: DnsManifest.nullable() })

/** A joined host that speaks the link as a node does, and runs nothing. */
export class FakeNode implements Disposable {
  readonly id: string
  readonly #link: ControlLink
  /** The state that it was given last. */
  revision: string | null = null
  dnsRevision: string | null = null
  /** It sends the queries that it logs. */
  logs = true

  constructor(identity: Identity) {
    this.id = identity.id
    this.#link = new ControlLink(identity)
  }

  /** Asks for the state as a node that has the last one; null when that is still the one. */
  async state(revision = this.revision): Promise<NodeState | null> {
    const answer = await this.#link.send(linkPaths.state, { revision }, { answer: StateAnswer })
    this.revision = answer.revision
    return answer.state
  }

  /** Asks for the files of its resolver as a node that has the last ones; null when these are still the ones. */
  async dns(revision = this.dnsRevision): Promise<DnsManifest | null> {
    const answer = await this.#link.send(linkPaths.dns, { revision, logs: this.logs }, { answer: DnsAnswer })
    this.dnsRevision = answer.revision
    return answer.manifest
  }

  /** Fetches a file by its hash. */
  async fetch(sha256: string, size: number): Promise<string> {
    await using folder = await temporaryDirectory('fetched')
    const path = join(folder.path, 'file')
    const { signal } = new AbortController()
    await this.#link.download(`${linkPaths.dnsFiles}${sha256}`, path, { sha256, size, signal })
    return readFile(path, 'utf8')
  }

  /** Reports that it runs these interfaces, and what else is given. */
  report(up: readonly string[], more: Partial<Report> = {}): Promise<ReportAnswer> {
    const interfaces = up.map((name) => ({ name, status: 'up', reason: null }))
    const body = { version: '0.1.0', sent_at: Date.now(), revision: this.revision, interfaces, ...more }
    return this.#link.send(linkPaths.report, body, { answer: ReportAnswer })
  }

  /** Sends queries that it answered. */
  queries(batch: object): Promise<{ counted: number }> {
    return this.#link.send(linkPaths.queries, batch, { answer: QueryBatchAnswer })
  }

  /** Sends a request of a peer to its page on: by default one for the page itself, at the address of wg0. */
  page(changes: Partial<PageQuery>): Promise<z.output<typeof PageQueryAnswer>> {
    const address = changes.address ?? '10.8.0.1'
    const query = {
      interface: 'wg0',
      address,
      method: 'GET',
      url: '/',
      hosts: [address],
      origin: '',
      site: 'same-origin',
    }
    return this.#link.send(
      linkPaths.page,
      { ...query, content_type: '', body: '', ...changes },
      { answer: PageQueryAnswer },
    )
  }

  [Symbol.dispose](): void {
    this.#link.close()
  }
}

/** Adds a node and lets it join. */
export async function joinedNode(world: NodesFixture, name: string): Promise<FakeNode> {
  const { token } = await world.add(name)
  return new FakeNode(await world.join(name, token))
}
