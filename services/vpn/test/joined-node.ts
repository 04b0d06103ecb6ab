import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { HostedService } from './hosted-service.ts'
import type { NetworkHost } from './network-hosts.ts'
import { Program, startHearth } from './node-world.ts'

/** A host that has joined the service as a node. */
export interface JoinedNode {
  readonly id: string
  readonly host: NetworkHost
  readonly program: Program
  /** Folder of the node on this machine. */
  readonly folder: string
}

/** Makes a host a node of the service and starts its program. */
export async function joinNode(
  service: HostedService,
  host: NetworkHost,
  { label, endpoint, folder }: { label: string; endpoint: string; folder: string },
): Promise<JoinedNode> {
  const own = join(folder, label)
  await mkdir(own)
  const { node, token, url } = await service.done('POST', '/api/nodes', { name: label })
  await service.done('PUT', `/api/nodes/${node.id}`, { endpoint })
  const file = join(own, 'token')
  await writeFile(file, token)
  const joined = await startHearth(host, own, 'join', url, '--token-file', file)
  assert.equal(joined.exitCode, 0, joined.stderr)
  const program = new Program(() => startHearth(host, own, 'run'), new RegExp(`node ${label} of`))
  await program.start()
  return { id: node.id, host, program, folder: own }
}

/** The host with a folder of its own for the sockets of wireguard-go, so that it can have an interface of the same name. */
export function withOwnSockets(host: NetworkHost): NetworkHost {
  const script = 'mkdir -p /run/wireguard && mount -t tmpfs none /run/wireguard && exec "$@"'
  return {
    ...host,
    start: (file, ...args) => host.start('unshare', '--mount', 'sh', '-c', script, 'sh', file, ...args),
  }
}
