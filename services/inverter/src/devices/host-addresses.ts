import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { Timers } from '@hearth/runtime'

/** Time to look up a name, milliseconds. */
const lookupMs = 3000

/** The addresses of a host; none for a name that cannot be looked up within three seconds. */
export async function addressesOf(host: string, timers: Timers): Promise<string[]> {
  if (isIP(host) !== 0) return [host]
  const end = new AbortController()
  const late = timers.delay(lookupMs, end.signal).then(
    () => [],
    () => [],
  )
  const found = await Promise.race([lookup(host, { all: true }).catch(() => []), late])
  end.abort()
  return found.map(({ address }) => address)
}
