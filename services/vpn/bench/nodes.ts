import { spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createLog, systemClock, systemTimers } from '@hearth/runtime'
import { eventually, temporaryDirectory } from '@hearth/testing'
import { openAccessTable } from '../src/access-rules/policy/table.ts'
import { writeIdentity } from '../src/node-agent/identity.ts'
import { withNodeTables } from '../src/node-agent/node-tables.ts'
import { NodeTunnels } from '../src/node-agent/node-tunnels.ts'
import { TrafficRecorder } from '../src/node-agent/traffic-recorder.ts'
import { WantedState } from '../src/node-agent/wanted-state.ts'
import { createAuthorityCertificate, createCertificateRequest, signNodeCertificate } from '../src/nodes/certificates.ts'
import type { NodeState } from '../src/nodes/node-state.ts'
import { openDataPlane } from '../src/wireguard/choose-driver.ts'
import { createCommandRunner } from '../src/wireguard/command.ts'
import { generateKeyPair } from '../src/wireguard/keys.ts'
import { createHost, tunnelsObstacle, uniqueName } from '../test/network-hosts.ts'
import { areAllWithin, measure, tableOf } from './scenario/measurement.ts'

/**
 * `npm run bench -- vpn/nodes [PEERS]`: what a change of one peer costs a node, from the text of the state to the state in force
 * (wireguard-go, nftables), and the memory of the program of a node that runs so many peers. Ends with 1 when a limit is missed.
 */

const commandLine = join(import.meta.dirname, '../../../cli/hearth.mjs')
const rounds = 3
/** Memory that the program has for itself, MiB; that of Node without a program is 8. */
const maxMemory = 40

const noPage = { narrow: () => Promise.resolve(), bring: () => Promise.resolve() }

const newKey = () => generateKeyPair().publicKey
const privateKey = generateKeyPair().privateKey

interface BenchPeer {
  readonly publicKey: string
  readonly presharedKey: string
  readonly address: string
}

const peerOf = (number: number): BenchPeer => ({
  publicKey: newKey(),
  presharedKey: randomBytes(32).toString('base64'),
  address: `10.64.${(number + 2) >> 8}.${(number + 2) & 255}`,
})

/** A state in which every tenth peer has a limit, and rules deny half of them the others. */
function stateOf(name: string, peers: readonly BenchPeer[]): NodeState {
  const [networks, ids] = [['10.64.0.0/16'], peers.map((_, number) => `peer-${number}`)]
  const config = { name, privateKey, listenPort: 51_820, addresses: ['10.64.0.1/16'], mtu: 1420, routes: [] }
  const limits = peers.flatMap(({ address }, number) => {
    const limit = { id: `peer-${number}`, interface: name, addresses: [address] as [string], networks: [] }
    return number % 10 === 0 ? [Object.assign(limit, { down: 1e6, up: null, isStopped: false })] : []
  })
  const group = { kind: 'group' as const, id: 'half' }
  const rule = { id: 'rule', number: 1, from: group, to: { kind: 'everybody' as const } }
  return {
    interfaces: [
      {
        config,
        peers: peers.map(({ publicKey, presharedKey, address }) => ({
          publicKey,
          presharedKey,
          allowedIps: [`${address}/32`],
        })),
        rules: { name, subnets: networks, networks: [], nat: true, forwarding: true, isolated: [] },
        running: true,
      },
    ],
    limits,
    access: {
      interfaces: [{ name, networks, addresses: ['10.64.0.1'], resolvers: [], forwarding: true, otherwise: 'allow' }],
      peers: peers.map(({ address }, number) => ({
        id: `peer-${number}`,
        interface: name,
        addresses: [address],
        networks: [],
        tags: [],
        isIsolated: false,
      })),
      groups: [{ id: 'half', peers: ids.slice(0, ids.length / 2), tags: [] }],
      rules: [{ ...rule, protocol: 'any', ports: [], action: 'deny' }],
    },
  }
}

/** Puts states in force on a host and returns what that takes, with the peer of this number exchanged each time. */
async function measureChange(folder: string, count: number) {
  await using host = await createHost('node')
  const run = withNodeTables(createCommandRunner(host.prefix))
  const log = createLog({ name: 'bench', level: 'warn' })
  const recorder = await TrafficRecorder.open({ directory: folder, clock: systemClock, log })
  const tunnels: NodeTunnels = new NodeTunnels({
    ...openDataPlane('userspace', { directory: folder, run }),
    accessTable: openAccessTable('userspace', run),
    log,
    timers: systemTimers,
    checkEveryMs: 3_600_000,
    countTraffic: (names) => recorder.take(names, (name) => tunnels.read(name)),
    onChanged: () => undefined,
  })
  const wanted = new WantedState({ directory: folder, tunnels, page: noPage, log })
  const name = uniqueName('wgb')
  const peers = Array.from({ length: count }, (_, number) => peerOf(number))
  const apply = async () => {
    const text = JSON.stringify(stateOf(name, peers))
    const begin = performance.now()
    await wanted.take(randomUUID(), JSON.parse(text))
    return performance.now() - begin
  }
  const first = await apply()
  const changed = await measure(`one of ${count} peers changes`, { rounds, times: 5, limit: 1000 }, (number) => {
    peers[number % count] = peerOf(number % count)
    return apply()
  })
  const [status] = wanted.statuses()
  await tunnels.close()
  return { first, changed, isUp: status?.status === 'up' }
}

/** Memory of `hearth vpn node run` as built, MiB: what it has for itself. */
async function measureMemory(folder: string): Promise<number> {
  const authority = await createAuthorityCertificate()
  const { request, key } = await createCertificateRequest()
  const id = randomUUID()
  const certificate = (await signNodeCertificate(authority, { id, request })) ?? ''
  const identity = { url: 'https://127.0.0.1:1', id, name: 'bench', authority: authority.certificate, certificate, key }
  await writeIdentity(folder, identity, false)
  const child = spawn(process.execPath, [commandLine, 'vpn', 'node', 'run'], {
    env: { ...process.env, DATA_DIR: folder, WIREGUARD_BACKEND: 'simulated' },
  })
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => void (output += chunk.toString()))
  child.stdout.resume()
  try {
    await eventually(
      () => output,
      (text) => text.includes('is in force'),
      { what: 'the state is in force', seconds: 60 },
    )
    const read = async () => {
      const text = await readFile(`/proc/${child.pid}/smaps_rollup`, 'utf8')
      return Number(/^Private_Dirty:\s+(\d+) kB$/m.exec(text)?.[1]) / 1024
    }
    // Idle: what the start needed is given back.
    await new Promise((resolve) => setTimeout(resolve, 30_000))
    return await read()
  } finally {
    child.kill('SIGTERM')
  }
}

async function main(count: number): Promise<boolean> {
  const obstacle = await tunnelsObstacle()
  if (obstacle !== null) throw new Error(`this benchmark makes tunnels: ${obstacle}`)
  await using folder = await temporaryDirectory('nodes')
  const { first, changed, isUp } = await measureChange(folder.path, count)
  const memory = await measureMemory(folder.path)
  const notes = [
    `${count} peers at once on a host with nothing: ${Math.round(first)} ms`,
    `memory of the program of a node with ${count} peers: ${memory.toFixed(0)} MiB of at most ${maxMemory}`,
  ]
  process.stdout.write(`${tableOf([changed])}\n${notes.join('\n')}\n`)
  return areAllWithin([changed]) && isUp && memory <= maxMemory
}

const isGood = await main(Number(process.argv[2] ?? 500))
process.exit(isGood ? 0 : 1)
