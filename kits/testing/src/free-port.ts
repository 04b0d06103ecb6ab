import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Below the range from which the system takes ports by itself, for a query as for a connection. */
const [lowest, highest] = [20_000, 31_999]
const ours = new Set<string>()

process.on('exit', () => {
  for (const file of ours) rmSync(file, { force: true })
})

/**
 * Returns a port at which nothing listens, over TCP or UDP, for a program that cannot pick one itself. No other test is given it as
 * long as this process lives.
 */
export async function freePort(address = '127.0.0.1'): Promise<number> {
  for (;;) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest + 1))
    if (claim(port) && (await isFree(port, address))) return port
  }
}

/** Makes a file that only one process can make. That of a process which is gone does not count. */
function claim(port: number): boolean {
  const file = join(tmpdir(), `hearth-port-${port}`)
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
    ours.add(file)
    return true
  } catch {
    const owner = Number(existsSync(file) ? readFileSync(file, 'utf8') : '')
    if (owner > 0 && !existsSync(`/proc/${owner}`)) rmSync(file, { force: true })
    return false
  }
}

async function isFree(port: number, address: string): Promise<boolean> {
  const server = createServer().listen({ port, host: address })
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4').bind({ port, address })
  const bound = await Promise.allSettled([once(server, 'listening'), once(socket, 'listening')])
  server.close()
  socket.close()
  return bound.every(({ status }) => status === 'fulfilled')
}
