import { writeFile } from 'node:fs/promises'
import { execa } from 'execa'

/** Ways to start a program in a network of its own: as root, and as somebody the system lets be root in a namespace. */
const ways = [
  ['unshare', '--net'],
  ['unshare', '--user', '--map-root-user', '--net'],
] as const

/** Command prefix that runs a command in a separate network; empty where none can be made. */
export async function networkOfItsOwn(): Promise<readonly string[]> {
  for (const way of ways) {
    const { failed } = await execa(way[0], [...way.slice(1), 'ip', 'link', 'set', 'lo', 'up'], { reject: false })
    if (!failed) return way
  }
  return []
}

/** Raises the loopback of a new network, and lets connections wait for the next listener of their port. */
export async function settleNetwork(): Promise<void> {
  await execa('ip', ['link', 'set', 'lo', 'up'])
  await writeFile('/proc/sys/net/ipv4/tcp_migrate_req', '1')
}
