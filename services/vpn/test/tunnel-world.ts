import { join } from 'node:path'
import { temporaryDirectory } from '@hearth/testing'
import type { Transfer } from './echo-server.ts'
import { createHostedService, type HostedService } from './hosted-service.ts'
import { createHost, createNetwork, joinHosts, uniqueName, type NetworkHost } from './network-hosts.ts'
import { createWgQuickClient, giveResolvers, type WgQuickClient } from './wg-quick-client.ts'

const echoProgram = join(import.meta.dirname, 'echo-server.ts')

/** The service's host as devices reach it: an address beyond their router. */
export const endpoint = '198.51.100.1'

/** A host of the internet that knows no way back into any private network. */
export const internetAddress = '198.51.100.2'

/** Resolvers a device uses while its tunnel is down. */
export const plainResolvers = 'nameserver 192.0.2.53'

/** A device of a user: its own host, a peer of the service, and `wg-quick` with the peer's file. */
export interface Device {
  readonly host: NetworkHost
  readonly id: string
  readonly ip: string
  readonly ipv6: string | null
  readonly client: WgQuickClient
}

/**
 * The service on a host with two legs: devices on one, the internet on the other. The service's host is the devices' router,
 * so that a device reaches the endpoint over its default route, as at home.
 */
export interface TunnelWorld extends AsyncDisposable {
  readonly server: NetworkHost
  readonly internet: NetworkHost
  readonly service: HostedService
  readonly folder: string
  /** Creates an interface of a name no one else has. */
  addInterface(settings: object): Promise<string>
  /** Creates a peer over the API and brings its file up on a new host. */
  connect(label: string, peer: { interface: string } & Record<string, unknown>): Promise<Device>
  /** The peer as the API shows it. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies freely
  peer(device: Device): Promise<any>
  /** Starts an echo server and returns its port. */
  echo(host: NetworkHost, address: string): Promise<number>
}

/** Builds the hosts and starts the service. What it stands on ends with it. */
export async function createTunnelWorld(environment: Record<string, string> = {}): Promise<TunnelWorld> {
  await using cleanup = new AsyncDisposableStack()
  const { path: folder } = cleanup.use(await temporaryDirectory('tunnels'))
  const network = cleanup.use(await createNetwork('lan'))
  const server = cleanup.use(await createHost('server'))
  const internet = cleanup.use(await createHost('inet'))
  await network.attach(server, '192.0.2.1/24')
  await joinHosts([server, [`${endpoint}/24`]], [internet, [`${internetAddress}/24`]])
  const service = await createHostedService(server, folder, { PUBLIC_ENDPOINT: endpoint, ...environment })
  await service.start()
  await service.done('PUT', '/api/settings', { sample_interval_seconds: 1 })
  let lastAddress = 1

  async function connect(label: string, settings: { interface: string } & Record<string, unknown>): Promise<Device> {
    const host = cleanedUp.use(await createHost(label))
    cleanedUp.use(await giveResolvers(host, plainResolvers))
    lastAddress += 1
    await network.attach(host, `192.0.2.${lastAddress}/24`)
    await host.run('ip', 'route', 'add', 'default', 'via', '192.0.2.1')
    const { id, ip, ipv6 } = await service.done('POST', '/api/peers', { name: uniqueName(label), ...settings })
    const text: string = await service.done('GET', `/api/peers/${id}/config`)
    const client = await createWgQuickClient(host, { text, folder })
    await client.up()
    return { host, id, ip, ipv6, client }
  }

  const cleanedUp = cleanup.move()
  return {
    server,
    internet,
    service,
    folder,
    connect,
    async addInterface(settings) {
      const { name } = await service.done('POST', '/api/interfaces', { name: uniqueName('wge'), ...settings })
      return name
    },
    peer: ({ id }) => service.done('GET', `/api/peers/${id}`),
    async echo(host, address) {
      const child = host.start(process.execPath, echoProgram, 'serve', address)
      const port = await Promise.race([
        new Promise<string>((resolve) => child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString()))),
        child.then(({ stderr }) => Promise.reject(new Error(`the echo server ended: ${stderr}`))),
      ])
      return Number(port)
    },
    [Symbol.asyncDispose]: () => cleanedUp.disposeAsync(),
  }
}

/** Sends random bytes to an echo server and says what came back. */
export async function transfer(
  from: NetworkHost,
  to: { address: string; port: number; bytes: number },
): Promise<Transfer> {
  const text = await from.run(process.execPath, echoProgram, 'send', to.address, String(to.port), String(to.bytes))
  return JSON.parse(text) as Transfer
}
