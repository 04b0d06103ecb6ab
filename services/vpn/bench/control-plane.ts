import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { freePort } from '@hearth/testing'
import type { Identity } from '../src/node-agent/identity.ts'
import { joinService, type Joining } from '../src/node-agent/join.ts'
import type { TrafficBatch } from '../src/nodes/link-schema.ts'
import type { NodeState } from '../src/nodes/node-state.ts'
import { startService, type TestService } from '../test/in-process.ts'
import { FakeNode } from '../test/nodes-fixture.ts'
import { addManyPeers } from './scenario/many-peers.ts'
import { areAllWithin, type Measured, measure, percentile, tableOf } from './scenario/measurement.ts'

/**
 * `npm run bench -- vpn/control-plane [NODES] [PEERS]`: what nodes with so many peers each cost the service: a change of a peer as
 * its caller waits for it, beside the same on this host, and until the node has it; the reports of all nodes; and all of them
 * asking for their whole state at once. Simulated tunnels. Ends with 1 when a limit is missed.
 */

const rounds = 3

/** Batches in a report of a node that was cut off: a body holds about five thousand entries. */
const batches = 8

interface BenchNode {
  readonly node: FakeNode
  readonly interface: string
  readonly state: NodeState
}

/** Joins as many nodes, with an interface each, and makes one interface of this host. */
async function prepare(service: TestService, demand: Demand, count: number): Promise<Identity[]> {
  const identities: Identity[] = []
  for (let number = 0; number <= count; number += 1) {
    const place = {
      name: `wg${number}`,
      address: `10.${100 + number}.0.1/16`,
      dns: '192.0.2.53',
      allow_host_overlap: true,
    }
    if (number === count) {
      await demand('POST', '/api/interfaces', place)
      continue
    }
    const { node, token, url } = await demand('POST', '/api/nodes', { name: `node ${number}` })
    const dataDirectory = join(service.folder, 'hosts', String(number))
    identities.push(await joinInTurn({ dataDirectory, url, token, version: '0.1.0', isReplaced: false }))
    await demand('POST', '/api/interfaces', { ...place, node_id: node.id })
  }
  return identities
}

/** Joins, and tries again later while too many hosts join from this address. */
async function joinInTurn(joining: Joining): Promise<Identity> {
  for (;;) {
    try {
      return await joinService(joining)
    } catch (error) {
      if (!/Too many requests/.test((error as Error).message)) throw error
      await pauseOf(5000)
    }
  }
}

// oxlint-disable-next-line typescript/no-explicit-any -- looks into bodies freely
type Demand = (method: string, path: string, body?: object) => Promise<any>

/** Requests to a service that must succeed, with the token of an administrator. */
function demandOf(service: TestService, token: string): Demand {
  return async (method, path, body) => {
    const { status, text, body: answer } = await service.send(method, path, { token, body })
    if (status >= 300) throw new Error(`${method} ${path}: ${text}`)
    return answer.data
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now()
  await work()
  return performance.now() - begin
}

async function measureNodes(demand: Demand, nodes: readonly BenchNode[]): Promise<Measured[]> {
  const peersOn = async (name: string): Promise<string[]> => {
    const { peers } = await demand('GET', `/api/peers?interface=${name}&limit=50`)
    return (peers as { id: string }[]).map(({ id }) => id)
  }
  const change = (id: string, number: number) => demand('PUT', `/api/peers/${id}`, { limit_down: 10 + (number % 90) })
  const [first] = nodes
  if (first === undefined) return []
  const [there, here] = [await peersOn(first.interface), await peersOn(`wg${nodes.length}`)]
  const series = { rounds, times: 10, limit: 100 }
  const idOf = (ids: readonly string[], number: number) => ids[number % ids.length] ?? ''
  return [
    await measure('a peer on this host changes', series, (number) => timed(() => change(idOf(here, number), number))),
    await measure('a peer on a node changes', series, (number) => timed(() => change(idOf(there, number), number))),
    await measure('until the node has the change', { rounds, times: 5, limit: 2000 }, async (number) => {
      // What changed before is taken first.
      while ((await Promise.race([first.node.state(), pauseOf(1000)])) !== null);
      const coming = first.node.state()
      return timed(async () => {
        await change(idOf(there, number), number + 7)
        await coming
      })
    }),
    await measure(`a report of ${batches} batches`, { rounds, times: 5, limit: 1000 }, (number) => {
      const one = nodes[number % nodes.length] ?? first
      return timed(() => one.node.report([one.interface], { traffic: trafficOf(one) }))
    }),
  ]
}

const pauseOf = (ms: number) => new Promise<null>((resolve) => setTimeout(resolve, ms, null))

function trafficOf({ state, interface: name }: BenchNode): { count: string; batches: TrafficBatch[] } {
  const keys = state.interfaces.flatMap(({ peers }) => peers.map(({ publicKey }) => publicKey))
  const at = Date.now()
  const peersOf = (number: number) =>
    keys.map((key) => ({
      interface: name,
      public_key: key,
      rx: 1000 * number,
      tx: 3000 * number,
      latest_handshake: at,
      endpoint: '203.0.113.7:51820',
    }))
  const numbers = Array.from({ length: batches }, (_, index) => index + 1)
  return {
    count: randomUUID(),
    batches: numbers.map((number) => ({ number, at: at - (batches - number) * 30_000, peers: peersOf(number) })),
  }
}

async function main(count: number, peers: number): Promise<boolean> {
  const environment = { VPN_NODES_LISTEN: `127.0.0.1:${await freePort()}`, WIREGUARD_BACKEND: 'simulated' }
  await using first = await startService(environment)
  const identities = await prepare(first, demandOf(first, first.admin), count)
  await first.stop()
  for (let number = 0; number <= count; number += 1) await addManyPeers(first.folder, `wg${number}`, peers)
  await using service = await startService(environment, first.folder)
  const links = identities.map((identity) => new FakeNode(identity))
  const nodes: BenchNode[] = []
  const asked: number[] = []
  const together = await timed(() =>
    Promise.all(
      links.map(async (node, number) => {
        const begin = performance.now()
        const state = await node.state()
        asked.push(performance.now() - begin)
        if (state !== null) nodes[number] = { node, interface: `wg${number}`, state }
      }),
    ),
  )
  const start: Measured = {
    name: `${count} nodes ask for their state at once`,
    p50: percentile(asked, 50),
    p95: together,
    limit: 10_000,
  }
  const measured = [start, ...(await measureNodes(demandOf(service, first.admin), nodes))]
  process.stdout.write(`${count} nodes with ${peers} peers each\n${tableOf(measured)}\n`)
  for (const link of links) link[Symbol.dispose]()
  return areAllWithin(measured)
}

const isGood = await main(Number(process.argv[2] ?? 20), Number(process.argv[3] ?? 500))
process.exit(isGood ? 0 : 1)
