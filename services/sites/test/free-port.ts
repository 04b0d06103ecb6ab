import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Below the range from which the system takes ports by itself. */
const [lowest, highest] = [20_000, 31_999]
const ours = new Set<string>()

process.on('exit', () => {
  for (const file of ours) rmSync(file, { force: true })
})

/**
 * A port of the loopback interface that nobody listens at, and that no other test is given as long as this process lives: two
 * Caddy servers would share it without a word, and each would answer half of the requests.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest + 1))
    if (claim(port) && (await isFree(port))) return port
  }
}

/** A file that only one process makes; one of a process that is gone does not count. */
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

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    server.listen({ port, host: '127.0.0.1', exclusive: true })
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
