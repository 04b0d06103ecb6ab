import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { access, readdir, readlink, stat } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { execa } from 'execa'

/** Its own host on this machine: a network namespace with links to others, where nothing outside can be reached. */
export interface NetworkHost extends AsyncDisposable {
  /** The namespace's name. */
  readonly name: string
  /** Prefix of a command to run it on this host. */
  readonly prefix: readonly string[]
  /** Runs a command on the host and returns what it printed; throws when it fails. */
  run(file: string, ...args: string[]): Promise<string>
  /** Starts a command on the host and lets it run; it ends with the host at the latest. */
  start(file: string, ...args: string[]): RunningCommand
  /** True when one echo to the address is answered within a second. */
  canReach(address: string): Promise<boolean>
}

/** A command that runs on a host: a promise of how it ends, with its streams and its `pid`; it never rejects. */
export type RunningCommand = ReturnType<typeof startCommand>

function startCommand(prefix: readonly string[], file: string, args: readonly string[]) {
  return execa('ip', [...prefix.slice(1), file, ...args], { reject: false })
}

/** Hosts on one wire. */
export interface Network extends AsyncDisposable {
  /** Plugs a host in with these addresses (CIDR form) and returns the name of its link. */
  attach(host: NetworkHost, ...addresses: string[]): Promise<string>
}

/** Reason why hosts cannot be made here, or null when they can: it takes root, `ip` and the right to make namespaces. */
export async function hostsObstacle(): Promise<string | null> {
  if (process.geteuid?.() !== 0) return 'needs root'
  try {
    const host = await createHost('probe')
    await host[Symbol.asyncDispose]()
    return null
  } catch {
    return 'network namespaces cannot be made'
  }
}

/** Reason why tunnels of wireguard-go cannot be made here, or null when they can. */
export async function tunnelsObstacle(): Promise<string | null> {
  const obstacle = await hostsObstacle()
  if (obstacle !== null) return obstacle
  const tun = await access('/dev/net/tun', constants.R_OK | constants.W_OK).then(
    () => null,
    () => 'needs /dev/net/tun',
  )
  if (tun !== null) return tun
  for (const program of ['wireguard-go', 'wg', 'nft']) {
    const { failed } = await execa(program, ['--version'], { reject: false })
    if (failed) return `needs ${program}`
  }
  return null
}

/** Reason why the firewall of a host cannot put packets into a queue, or null when it can, through nft or through iptables. */
export async function packetQueueObstacle(): Promise<string | null> {
  const obstacle = await hostsObstacle()
  if (obstacle !== null) return obstacle
  await using host = await createHost('queue')
  const rule = ['udp', 'dport', '9', 'queue', 'num', '9', 'bypass']
  const nft = (...words: string[]) => host.run('nft', 'add', ...words)
  const viaNft = async () => {
    await nft('table', 'inet', 'probe')
    await nft('chain', 'inet', 'probe', 'input', '{ type filter hook input priority 0; }')
    await nft('rule', 'inet', 'probe', 'input', ...rule)
  }
  const viaIptables = () =>
    host.run('iptables', '-t', 'mangle', '-A', 'INPUT', '-p', 'udp', '-j', 'NFQUEUE', '--queue-bypass')
  try {
    await viaNft().catch(viaIptables)
    return null
  } catch {
    return 'neither nft nor iptables has packet queues here'
  }
}

/** A name no one else has, short enough for an interface (sockets of wireguard-go are shared by all hosts). */
export function uniqueName(label: string): string {
  return `${label.slice(0, 6)}${randomBytes(4).toString('hex')}`
}

/**
 * Makes a host with nothing but its loopback. Disposing ends every process started on it, then removes it; tests hold it with
 * `await using`.
 */
export async function createHost(label: string): Promise<NetworkHost> {
  const name = uniqueName(label)
  await execa('ip', ['netns', 'add', name])
  const prefix = ['ip', 'netns', 'exec', name]
  const namespace = `net:[${(await stat(`/run/netns/${name}`)).ino}]`
  const start = (file: string, ...args: string[]) => startCommand(prefix, file, args)
  await execa('ip', ['-n', name, 'link', 'set', 'lo', 'up'])
  return {
    name,
    prefix,
    async run(file, ...args) {
      const { stdout } = await execa('ip', [...prefix.slice(1), file, ...args])
      return stdout
    },
    start,
    async canReach(address) {
      const { failed } = await start('ping', '-c', '1', '-W', '1', address)
      return !failed
    },
    async [Symbol.asyncDispose]() {
      await endProcesses(namespace)
      await execa('ip', ['netns', 'delete', name])
      // A process that was being started until a moment ago would keep the namespace alive without its name.
      await endProcesses(namespace)
    },
  }
}

/** Joins two hosts by their own wire; `address…` are in CIDR form, one list a host. Returns the links' names. */
export async function joinHosts(
  [left, leftAddresses]: readonly [NetworkHost, readonly string[]],
  [right, rightAddresses]: readonly [NetworkHost, readonly string[]],
): Promise<readonly [string, string]> {
  const links = [uniqueName('veth'), uniqueName('veth')] as const
  const peer = ['peer', 'name', links[1], 'netns', right.name]
  await execa('ip', ['link', 'add', links[0], 'netns', left.name, 'type', 'veth', ...peer])
  await raiseLink(left, links[0], leftAddresses)
  await raiseLink(right, links[1], rightAddresses)
  return links
}

/** Makes a wire any number of hosts can share: a bridge in its own namespace. */
export async function createNetwork(label: string): Promise<Network> {
  const hub = await createHost(label)
  await hub.run('ip', 'link', 'add', 'bridge', 'type', 'bridge')
  await hub.run('ip', 'link', 'set', 'bridge', 'up')
  return {
    async attach(host, ...addresses) {
      const [port, link] = await joinHosts([hub, []], [host, addresses])
      await hub.run('ip', 'link', 'set', port, 'master', 'bridge')
      return link
    },
    [Symbol.asyncDispose]: () => hub[Symbol.asyncDispose](),
  }
}

async function raiseLink(host: NetworkHost, link: string, addresses: readonly string[]): Promise<void> {
  for (const address of addresses) {
    const isIpv6 = address.includes(':')
    await host.run('ip', 'address', 'add', address, 'dev', link, ...(isIpv6 ? ['nodad'] : []))
  }
  await host.run('ip', 'link', 'set', link, 'up')
}

/** Asks the processes on a host to end, so that devices clean up after themselves, and ends those that do not. */
async function endProcesses(namespace: string): Promise<void> {
  const patience = performance.now() + 2000
  const deadline = patience + 5000
  const asked = new Set<number>()
  for (let pids = await processesIn(namespace); pids.length > 0; pids = await processesIn(namespace)) {
    if (performance.now() > deadline) throw new Error(`processes ${pids.join(', ')} do not end`)
    const isPatient = performance.now() < patience
    for (const pid of pids) if (!isPatient || !asked.has(pid)) signal(pid, isPatient ? 'SIGTERM' : 'SIGKILL')
    for (const pid of pids) asked.add(pid)
    await pause(10)
  }
}

/** The processes in a network namespace, which needs no name any more; the same look-up as `ip netns pids`. */
async function processesIn(namespace: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))
  const namespaces = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/ns/net`).catch(() => '')))
  return pids.map(Number).filter((pid, index) => namespaces[index] === namespace && pid !== process.pid)
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
