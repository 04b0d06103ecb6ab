import { join } from 'node:path'
import type { Zone } from './fake-nameserver.ts'
import type { NetworkHost } from './network-hosts.ts'
import type { Asked } from './dns-asker.ts'
import { createTunnelWorld, internetAddress, type Device, type TunnelWorld } from './tunnel-world.ts'

const program = (name: string) => join(import.meta.dirname, name)

/** A tunnel world whose internet has a name server and a server for block lists. */
export interface DnsWorld extends TunnelWorld {
  /** The resolver's address on the tunnel. */
  readonly resolver: string
  /** Name of the interface. */
  readonly tunnel: string
  /** Makes a list of one of the texts (or of `turning`), updated; returns its id. */
  addList(name: string): Promise<string>
}

/** Builds the world: the service forwards to the name server on the internet, and may fetch lists from there. */
export async function createDnsWorld(
  { zone, lists }: { zone: Zone; lists: Record<string, string> },
  environment: Record<string, string> = {},
): Promise<DnsWorld> {
  await using cleanup = new AsyncDisposableStack()
  const world = cleanup.use(
    await createTunnelWorld({
      DNS_UPSTREAMS: `udp://${internetAddress}`,
      OUTBOUND_ALLOW: internetAddress,
      ...environment,
    }),
  )
  await startProgram(world.internet, 'fake-nameserver.ts', internetAddress, '53', JSON.stringify(zone))
  await startProgram(world.internet, 'list-server.ts', internetAddress, '8080', JSON.stringify(lists))
  const tunnel = await world.addInterface({ address: '10.74.0.1/24', address6: 'fd74::1/64' })
  // The lists a new install comes with cannot be reached from here.
  for (const list of await world.service.done('GET', '/api/dns/blocklists'))
    if (list.enabled) await world.service.done('PUT', `/api/dns/blocklists/${list.id}`, { enabled: false })
  const kept = cleanup.move()
  return {
    ...world,
    resolver: '10.74.0.1',
    tunnel,
    async addList(name) {
      const list = await world.service.done('POST', '/api/dns/blocklists', {
        name,
        url: `http://${internetAddress}:8080/${name}`,
      })
      await updateLists(world)
      return list.id
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** Fetches all lists and waits until they are in force. */
export async function updateLists(world: Pick<TunnelWorld, 'service'>): Promise<void> {
  for (;;) {
    const { status, lists } = await world.service.done('POST', '/api/dns/blocklists/update')
    const failed = lists.filter((list: { error: string | null }) => list.error !== null)
    if (failed.length > 0) throw new Error(JSON.stringify(failed))
    if (status === 'done') return
  }
}

/** Starts a program of this folder on a host and waits until it is ready. */
export async function startProgram(host: NetworkHost, file: string, ...words: string[]): Promise<void> {
  const child = host.start(process.execPath, program(file), ...words)
  await Promise.race([
    new Promise<void>((resolve) => child.stdout.once('data', () => resolve())),
    child.then(({ stderr }) => Promise.reject(new Error(`${file} ended: ${stderr}`))),
  ])
}

/** Looks a name up from a host with `dig`, once and without a second try: its answers, or what went wrong. */
export async function dig(host: NetworkHost, server: string, ...words: string[]): Promise<string[]> {
  const child = await host.start('dig', `@${server}`, '+time=3', '+tries=1', '+noall', '+answer', '+comments', ...words)
  const status = /status: (\w+)/.exec(child.stdout)?.[1]
  if (status === undefined) return [child.stdout.includes('timed out') ? 'TIMEOUT' : 'NO ANSWER']
  const answers = child.stdout
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith(';'))
    .map((line) => line.split(/\s+/).slice(3).join(' '))
  const extra = /EDE: (\d+)/.exec(child.stdout)?.[1]
  return [status, ...answers, ...(extra === undefined ? [] : [`EDE ${extra}`])]
}

/** Asks for many names from a device, each once. */
export async function askMany(
  device: Device,
  server: string,
  options: { count: number; rate: number },
): Promise<Asked> {
  const text = await device.host.run(
    process.execPath,
    program('dns-asker.ts'),
    server,
    String(options.count),
    String(options.rate),
  )
  return JSON.parse(text) as Asked
}
