import { z } from 'zod'
import { dialOf } from '../../sites/upstream-url.ts'
import { probeUpstream } from './probe-upstream.ts'
import { type ReadRuleContext, ruleContextOf } from '../../sites/check-wanted.ts'
import { upstreamProblem } from '../../sites/rules/upstream-rules.ts'

/** Addresses of upstreams to check, 1 to 64. */
export const UpstreamCheckRequest = z
  .strictObject({ urls: z.array(z.string().min(1).max(2048)).min(1).max(64) })
  .meta({ id: 'UpstreamCheckRequest' })

/** Result of a connection to the address of an upstream. */
export const UpstreamCheck = z
  .object({
    url: z.string(),
    up: z.boolean().nullable().meta({ description: 'Whether a connection succeeds; null when it must not be tried' }),
    reason: z.string().nullable().meta({ description: 'Why not: a code such as `ECONNREFUSED`, or what is wrong' }),
    latency_ms: z.number().nonnegative().nullable(),
  })
  .meta({ id: 'UpstreamCheck' })
export type UpstreamCheck = z.infer<typeof UpstreamCheck>

/** Results of a check, in the order of the request. */
export const UpstreamChecks = z.object({ upstreams: z.array(UpstreamCheck) }).meta({ id: 'UpstreamChecks' })

/** Checks addresses by an empty connection, in their order; those that a site must not have are never connected to. */
export type CheckUpstreams = (urls: readonly string[]) => Promise<UpstreamCheck[]>

const timeoutMs = 2000

/** Creates the check; the rules about upstreams of sites decide what may be connected to. */
export function createCheckUpstreams(read: ReadRuleContext): CheckUpstreams {
  return async (urls) => {
    const record = { site_name: '', domains: [] }
    const context = await ruleContextOf(read, { record, extras: { hashes: {} } }, undefined)
    return await Promise.all(
      urls.map(async (url) => {
        const problem = upstreamProblem(url, context)
        if (problem !== undefined) return { url, up: null, reason: problem, latency_ms: null }
        return { url, ...(await connectTo(url)) }
      }),
    )
  }
}

async function connectTo(url: string): Promise<Omit<UpstreamCheck, 'url'>> {
  const probe = await probeUpstream(dialOf(url), timeoutMs)
  switch (probe.kind) {
    case 'up':
      return { up: true, reason: null, latency_ms: probe.latencyMs }
    case 'down':
      return { up: false, reason: probe.reason, latency_ms: null }
    case 'refused':
      return { up: null, reason: 'is an address of machine metadata, which must not be a site', latency_ms: null }
  }
}
