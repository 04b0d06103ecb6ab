import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { uniqueName, type NetworkHost } from './network-hosts.ts'

const fakes = join(import.meta.dirname, 'fakes')

/** A device with a configuration file, as a user has it: brought up and down by the real `wg-quick`. */
export interface WgQuickClient {
  /** Name of the tunnel's interface on the client. */
  readonly name: string
  up(): Promise<void>
  down(): Promise<void>
  /** Lines of the host's `/etc/resolv.conf`. */
  resolvers(): Promise<string[]>
}

/**
 * Writes a configuration for a host, to be used by `wg-quick` there with wireguard-go. The host needs a `/etc/resolv.conf` of
 * its own, see `giveResolvers`.
 */
export async function createWgQuickClient(
  host: NetworkHost,
  { text, folder }: { text: string; folder: string },
): Promise<WgQuickClient> {
  const name = uniqueName('wgq')
  const file = join(folder, `${name}.conf`)
  await writeFile(file, text, { mode: 0o600 })
  const variables = [
    `PATH=${fakes}:${process.env['PATH'] ?? ''}`,
    'WG_QUICK_USERSPACE_IMPLEMENTATION=wireguard-go',
    `RESOLV_CONF=${resolverFile(host)}`,
  ]
  const run = async (verb: 'up' | 'down') => {
    const { failed, stderr } = await host.start('env', ...variables, 'wg-quick', verb, file)
    if (failed) throw new Error(`wg-quick ${verb} failed: ${stderr}`)
  }
  return {
    name,
    up: () => run('up'),
    down: () => run('down'),
    resolvers: async () => (await host.run('cat', '/etc/resolv.conf')).split('\n'),
  }
}

/** Gives a host its own `/etc/resolv.conf`, until disposed. Programs started before do not see it. */
export async function giveResolvers(host: NetworkHost, ...lines: string[]): Promise<AsyncDisposable> {
  await mkdir(folderOf(host), { recursive: true })
  await writeFile(resolverFile(host), `${lines.join('\n')}\n`)
  return { [Symbol.asyncDispose]: () => rm(folderOf(host), { recursive: true, force: true }) }
}

/** `ip netns exec` shows the files of this folder under `/etc`. */
function folderOf(host: NetworkHost): string {
  return join('/etc/netns', host.name)
}

function resolverFile(host: NetworkHost): string {
  return join(folderOf(host), 'resolv.conf')
}
