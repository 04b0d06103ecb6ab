import type { TimeSeriesDependencies } from './dependencies.ts'
import { openTo } from './runner.ts'
import type { TimeSeriesTest } from './schema.ts'
import { writeLines, type ServerAddress } from './write-request.ts'

/** Sends a request without points: the server checks who asks, and for what, before it reads any. Writes nothing. */
export async function testServer(
  address: ServerAddress,
  dependencies: Pick<TimeSeriesDependencies, 'allow' | 'timers'>,
): Promise<TimeSeriesTest> {
  const { host } = new URL(address.url)
  const context = {
    open: openTo(dependencies),
    now: () => dependencies.timers.now(),
    signal: new AbortController().signal,
  }
  const result = await writeLines(address, [], context)
  // InfluxDB 2 refuses a request without points as the last of its checks.
  const isReady = result.kind === 'written' || (result.kind === 'refused' && address.api === 'v2')
  return isReady ? { is_ready: true, detail: `${host} takes points` } : { is_ready: false, detail: result.detail }
}
