import { z } from 'zod'
import { linkPaths, stateWaitMs } from '../../nodes/link-schema.ts'
import type { ControlLink } from '../control-link.ts'
import { type RepeatedRequest, repeatRequest } from '../repeat-request.ts'
import type { NodeResolver } from './node-resolver.ts'

/** The answer of the service; the manifest is looked at by itself, because it may be one that this version does not know. */
const Answer = z.object({ revision: z.string(), manifest: z.unknown() })

/** Time for an answer beside the wait of the service, milliseconds. */
const answerMs = 15_000

export interface DnsLoopDependencies extends Pick<RepeatedRequest, 'timers' | 'log'> {
  readonly link: Pick<ControlLink, 'send'>
  readonly resolver: Pick<NodeResolver, 'received' | 'take' | 'retry'>
}

/** Asks the service for what the resolver of this node works from, again and again: each answer comes when that is another. */
export function followDns(dependencies: DnsLoopDependencies, signal: AbortSignal): Promise<void> {
  const { link, resolver } = dependencies
  const ask = async () => {
    const { received } = resolver
    const options = { answer: Answer, signal, timeoutMs: stateWaitMs + answerMs }
    const { revision, manifest } = await link.send(linkPaths.dns, { revision: received }, options)
    if (manifest === null || manifest === undefined || revision === received) return false
    await resolver.take(revision, manifest, signal)
    return true
  }
  return repeatRequest({ ...dependencies, what: 'DNS files', ask, after: () => resolver.retry() }, signal)
}
