import assert from 'node:assert/strict'
import { join } from 'node:path'
import { freePort } from '@hearth/testing'
import { ControlLink } from '../src/node-agent/control-link.ts'
import type { Identity } from '../src/node-agent/identity.ts'
import { joinService } from '../src/node-agent/join.ts'
import { linkPaths, ReportAnswer } from '../src/nodes/link-schema.ts'
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

export async function startWithNodes(): Promise<NodesFixture> {
  const port = await freePort()
  const service = await startService({ VPN_NODES_LISTEN: `127.0.0.1:${port}` })
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

/** Sends one report with an identity; resolves with the name by which the service knows it. */
export async function reportAs(identity: Pick<Identity, 'url' | 'authority'> & Partial<Identity>): Promise<string> {
  const link = new ControlLink(identity)
  try {
    return (await link.send(linkPaths.report, { version: '0.1.0' }, { answer: ReportAnswer })).name
  } finally {
    link.close()
  }
}
