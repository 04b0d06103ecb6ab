import { readFile } from 'node:fs/promises'
import { eventually } from '@hearth/testing'

/** The state of a socket that listens, as the kernel's table writes it. */
const listening = '0A'

/**
 * Waits until no address of the port has two listeners. Caddy opens its ports anew at a change, and says it is done a moment
 * before it closes the old ones: whoever connects in that moment may be dropped, or served as before.
 */
export async function portReopened(port: number): Promise<void> {
  await eventually(
    async () => [...(await listenersOf(port, 'tcp')), ...(await listenersOf(port, 'tcp6'))],
    (addresses) => new Set(addresses).size === addresses.length,
    { everyMs: 2, what: `one listener for each address of port ${port}` },
  )
}

/** The addresses of the port somebody listens at, once for each socket. */
async function listenersOf(port: number, table: 'tcp' | 'tcp6'): Promise<string[]> {
  // Without IPv6 there is no table of it.
  const text = await readFile(`/proc/net/${table}`, 'latin1').catch(() => '')
  const ending = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return text
    .split('\n')
    .map((line) => line.trim().split(/\s+/, 4))
    .filter(([, address = '', , state]) => state === listening && address.endsWith(ending))
    .map(([, address = '']) => `${table} ${address}`)
}
