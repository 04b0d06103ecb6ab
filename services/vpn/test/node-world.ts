import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createHash, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { eventually, temporaryDirectory } from '@hearth/testing'
import { writeIdentity } from '../src/node-agent/identity.ts'
import {
  createAuthorityCertificate,
  createCertificateRequest,
  createServerCertificate,
  signNodeCertificate,
} from '../src/nodes/certificates.ts'
import type { Report } from '../src/nodes/link-schema.ts'
import type { NodeState } from '../src/nodes/node-state.ts'
import { generateKeyPair } from '../src/wireguard/keys.ts'
import {
  createHost,
  createNetwork,
  joinHosts,
  type NetworkHost,
  type RunningCommand,
  uniqueName,
} from './network-hosts.ts'
import { createWgQuickClient, giveResolvers } from './wg-quick-client.ts'

const commandLine = join(import.meta.dirname, '../../../cli/hearth.mjs')
const controlPlane = join(import.meta.dirname, 'node-control-plane.ts')
const [controlAddress, controlPort] = ['198.51.100.9', '8110']

/** A device with a tunnel to the node. */
export interface NodePeer {
  readonly id: string
  readonly host: NetworkHost
  readonly publicKey: string
  /** Tunnel address. */
  readonly address: string
}

/** Parts of a state that tests change; the rest is the same for all. */
export interface StateParts {
  readonly peers: readonly { id: string; publicKey: string; address: string }[]
  readonly limits?: NodeState['limits']
  readonly rules?: NodeState['access']['rules']
  readonly running?: boolean
  readonly isolated?: readonly string[]
}

/** A program that is started, ended and killed on a host. */
export class Program {
  readonly #start: () => RunningCommand
  readonly #ready: RegExp
  #child: RunningCommand | undefined
  output = ''

  constructor(start: () => RunningCommand, ready: RegExp) {
    this.#start = start
    this.#ready = ready
  }

  async start(): Promise<void> {
    const child = this.#start()
    this.#child = child
    const from = this.output.length
    const take = (chunk: Buffer) => void (this.output += chunk.toString())
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    await eventually(
      () => this.output.slice(from),
      (text) => this.#ready.test(text),
      { what: 'the program is ready', seconds: 30 },
    )
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    this.#child?.kill(signal)
    await this.#child
  }
}

/** A node on a host with devices on its one side and the service, as a node sees it, on the other. */
export class NodeWorld implements AsyncDisposable {
  readonly name = uniqueName('wgn')
  readonly server: NetworkHost
  readonly node: Program
  readonly service: Program
  readonly #cleanup: AsyncDisposableStack
  readonly #folder: string
  readonly #keys = generateKeyPair()
  readonly #connect: (label: string) => Promise<NetworkHost>
  #revision = ''

  private constructor(
    cleanup: AsyncDisposableStack,
    parts: {
      folder: string
      server: NetworkHost
      node: Program
      service: Program
      connect: (label: string) => Promise<NetworkHost>
    },
  ) {
    this.#cleanup = cleanup
    this.#folder = parts.folder
    this.#connect = parts.connect
    this.server = parts.server
    this.node = parts.node
    this.service = parts.service
  }

  static async create(): Promise<NodeWorld> {
    await using cleanup = new AsyncDisposableStack()
    const { path: folder } = cleanup.use(await temporaryDirectory('node'))
    const network = cleanup.use(await createNetwork('lan'))
    const server = cleanup.use(await createHost('node'))
    const control = cleanup.use(await createHost('control'))
    await network.attach(server, '192.0.2.1/24')
    await joinHosts([server, ['198.51.100.1/24']], [control, [`${controlAddress}/24`]])
    await createIdentities(folder)
    const service = new Program(
      () => control.start(process.execPath, controlPlane, join(folder, 'control'), controlAddress, controlPort),
      /ready/,
    )
    const node = new Program(() => startHearth(server, folder, 'run'), /node Berlin of/)
    let last = 1
    const connect = async (label: string) => {
      const host = kept.use(await createHost(label))
      kept.use(await giveResolvers(host, 'nameserver 192.0.2.53'))
      last += 1
      await network.attach(host, `192.0.2.${last}/24`)
      await host.run('ip', 'route', 'add', 'default', 'via', '192.0.2.1')
      return host
    }
    const kept = cleanup.move()
    return new NodeWorld(kept, { folder, server, node, service, connect })
  }

  /** Runs `hearth vpn node …` on the host of the node. */
  async command(...words: string[]): Promise<{ code: number | undefined; stdout: string; stderr: string }> {
    const { exitCode, stdout, stderr } = await startHearth(this.server, this.#folder, ...words)
    return { code: exitCode, stdout, stderr }
  }

  /** A file in the data directory of the node. */
  dataFile(name: string): string {
    return join(this.#folder, 'data', name)
  }

  /** A device that the node lets in once a state holds it. */
  async connect(label: string, address: string): Promise<NodePeer> {
    const host = await this.#connect(label)
    const { privateKey, publicKey } = generateKeyPair()
    const text = [
      `[Interface]\nPrivateKey = ${privateKey}\nAddress = ${address}/32`,
      `[Peer]\nPublicKey = ${this.#keys.publicKey}\nEndpoint = 192.0.2.1:51820\nAllowedIPs = 10.79.0.0/16\n`,
    ].join('\n')
    const client = await createWgQuickClient(host, { text, folder: this.#folder })
    await client.up()
    return { id: uniqueName('peer'), host, publicKey, address }
  }

  /** Makes this the wanted state; the node hears of it by itself. Returns its revision. */
  async want({ peers, limits = [], rules = [], running = true, isolated = [] }: StateParts): Promise<string> {
    const { name } = this
    const networks = ['10.79.0.0/16']
    return this.wantState({
      interfaces: [
        {
          config: {
            name,
            privateKey: this.#keys.privateKey,
            listenPort: 51_820,
            addresses: ['10.79.0.1/16'],
            mtu: 1420,
            routes: [],
          },
          peers: peers.map(({ publicKey, address }) => ({
            publicKey,
            presharedKey: null,
            allowedIps: [`${address}/32`],
          })),
          rules: { name, subnets: networks, networks: [], nat: true, forwarding: true, isolated: [...isolated] },
          running,
        },
      ],
      limits: [...limits],
      access: {
        interfaces: [{ name, networks, addresses: ['10.79.0.1'], resolvers: [], forwarding: true, otherwise: 'allow' }],
        peers: peers.map(({ id, address }) => ({
          id,
          interface: name,
          addresses: [address],
          networks: [],
          tags: [],
          isIsolated: isolated.includes(address),
        })),
        groups: [],
        rules: [...rules],
      },
    })
  }

  /** The same for a whole state, which may be one that the node does not understand. */
  async wantState(state: object): Promise<string> {
    this.#revision = createHash('sha256').update(JSON.stringify(state)).digest('hex')
    const file = join(this.#folder, 'control/state.json')
    await writeFile(`${file}.new`, JSON.stringify({ revision: this.#revision, state }))
    await rename(`${file}.new`, file)
    return this.#revision
  }

  /** Resolves when the node has reported that the wanted state is in force. */
  async inForce(): Promise<Report> {
    return eventually(
      async () => (await this.reports()).at(-1) as Report,
      (report) => report?.revision === this.#revision,
      { what: 'the wanted state is in force', seconds: 60 },
    )
  }

  async reports(): Promise<Report[]> {
    const text = await readFile(join(this.#folder, 'control/reports.jsonl'), 'utf8').catch(() => '')
    // The last line may be on its way.
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Report)
  }

  /** Bytes that the service counted of a peer. */
  async counted({ publicKey }: NodePeer): Promise<{ rx: number; tx: number }> {
    const file = join(this.#folder, 'control/ledger.json')
    const ledger = existsSync(file) ? JSON.parse((await readFile(file, 'utf8')) || '{}') : {}
    return ledger.peers?.[publicKey] ?? { rx: 0, tx: 0 }
  }

  /** Bytes that the device of the node counted of a peer. */
  async transferred({ publicKey }: NodePeer): Promise<{ rx: number; tx: number }> {
    const lines = (await this.server.run('wg', 'show', this.name, 'transfer')).split('\n')
    const [, rx = 0, tx = 0] = lines.find((line) => line.startsWith(publicKey))?.split('\t') ?? []
    return { rx: Number(rx), tx: Number(tx) }
  }

  /** Has the service refuse the node from now on. */
  remove(): Promise<void> {
    return writeFile(join(this.#folder, 'control/removed'), '')
  }

  /** Ends the program of the node and the device that it left, which would outlive both. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cleanup.disposeAsync()
  }
}

/** Starts `hearth vpn node …` on a host; its data lies in `data` of the folder. */
export function startHearth(host: NetworkHost, folder: string, ...words: string[]): RunningCommand {
  const { PATH = '', HOME = '' } = process.env
  const settings = {
    PATH,
    HOME,
    DATA_DIR: join(folder, 'data'),
    WIREGUARD_BACKEND: 'userspace',
    DRIFT_CHECK_SECONDS: '1',
  }
  const variables = Object.entries(settings).map(([name, value]) => `${name}=${value}`)
  return host.start('env', '-i', ...variables, process.execPath, commandLine, 'vpn', 'node', ...words)
}

async function createIdentities(folder: string): Promise<void> {
  const [data, control] = [join(folder, 'data'), join(folder, 'control')]
  for (const each of [data, control]) await mkdir(each, { mode: 0o700 })
  const authority = await createAuthorityCertificate()
  const server = await createServerCertificate(authority)
  const { request, key } = await createCertificateRequest()
  const id = randomUUID()
  const certificate = (await signNodeCertificate(authority, { id, request })) ?? ''
  const ends = { cert: `${server.certificate}\n${authority.certificate}`, key: server.key, ca: authority.certificate }
  await writeFile(join(control, 'certificates.json'), JSON.stringify(ends))
  const url = `https://${controlAddress}:${controlPort}`
  const identity = { url, id, name: 'Berlin', authority: authority.certificate, certificate, key }
  await writeIdentity(data, identity, false)
  await rm(join(control, 'removed'), { force: true })
}
