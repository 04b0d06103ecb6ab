import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { readProcessMemory, type ProcessMemory } from '@hearth/testing'

interface Peer {
  readonly name: string
  readonly program: string
  readonly args: readonly string[]
}

/** Measures well-known servers, idle: a line of the table each, also for those that are not installed here. */
export async function measurePeers(
  folder: string,
  idleMs: number,
): Promise<{ what: string; memory?: ProcessMemory }[]> {
  const caddy = await put(join(folder, 'caddy.json'), '{"admin":{"disabled":true}}')
  const unbound = await put(
    join(folder, 'unbound.conf'),
    `server:
  interface: 127.0.0.1@15353
  do-daemonize: no
  username: ""
  chroot: ""
  pidfile: "${folder}/unbound.pid"
remote-control:
  control-enable: no
`,
  )
  const peers: Peer[] = [
    { name: 'Caddy', program: '/usr/bin/caddy', args: ['run', '--config', caddy] },
    { name: 'unbound', program: '/usr/sbin/unbound', args: ['-d', '-c', unbound] },
  ]
  return Promise.all(peers.map((peer) => measurePeer(peer, idleMs)))
}

async function measurePeer({ name, program, args }: Peer, idleMs: number) {
  if (!existsSync(program)) return { what: `${name}, which is not installed here` }
  const child = spawn(program, args, { stdio: 'ignore' })
  try {
    await once(child, 'spawn')
    await pause(idleMs / 4)
    return { what: `${name}, idle`, memory: await readProcessMemory(child.pid ?? 0) }
  } finally {
    child.kill('SIGTERM')
  }
}

async function put(file: string, text: string): Promise<string> {
  await writeFile(file, text)
  return file
}
