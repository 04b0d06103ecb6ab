import type { Resolver } from './resolver-status.ts'
import type { UpstreamTestResult } from './schema.ts'
import { checkUpstream } from './settings.ts'

/** Asks an upstream server. Throws a `Problem` when the text is none. */
export async function testUpstream(
  resolver: Pick<Resolver, 'testUpstream'>,
  upstream: string,
): Promise<UpstreamTestResult> {
  checkUpstream(upstream, 'upstream')
  try {
    return { ok: true, milliseconds: await resolver.testUpstream(upstream), error: null }
  } catch (error) {
    return { ok: false, milliseconds: null, error: error instanceof Error ? error.message : 'no answer' }
  }
}
