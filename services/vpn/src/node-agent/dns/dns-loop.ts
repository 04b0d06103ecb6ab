import { z } from 'zod'
import { linkPaths, stateWaitMs } from '../../nodes/link-schema.ts'
import type { ControlLink } from '../control-link.ts'
import { type RepeatedRequest, repeatRequest } from '../repeat-request.ts'
import type { NodeResolver } from './node-resolver.ts'

/** The answer of the service; the manifest is looked at by itself, because it may be one that this version does not know. */
const Answer = z.object({ revision: z.string(), manifest: z.unknown() })
type Answer = z.infer<typeof Answer>

/** Time for an answer beside the wait of the service, milliseconds. */
const answerMs = 15_000
/** A fetch that takes longer than this, milliseconds, is watched for something newer. */
const longFetchMs = 2000

export interface DnsLoopDependencies extends Pick<RepeatedRequest, 'timers' | 'log'> {
  readonly link: Pick<ControlLink, 'send'>
  readonly resolver: Pick<NodeResolver, 'received' | 'take' | 'retry'>
}

/** Asks the service for what the resolver of this node works from, again and again: each answer comes when that is another. */
export function followDns(dependencies: DnsLoopDependencies, signal: AbortSignal): Promise<void> {
  const { resolver } = dependencies
  const ask = async () => {
    let answer = await askFor(dependencies, resolver.received, signal)
    if (answer === undefined) return false
    while (answer !== undefined) answer = await takeUnlessNewer(dependencies, answer, signal)
    return true
  }
  const what = 'sends no DNS files for this node'
  return repeatRequest({ ...dependencies, what, ask, after: () => resolver.retry() }, signal)
}

/** Asks once; undefined when the service knows nothing newer than this revision. */
async function askFor(
  { link }: Pick<DnsLoopDependencies, 'link'>,
  known: string | null,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  const options = { answer: Answer, signal, timeoutMs: stateWaitMs + answerMs }
  const answer = await link.send(linkPaths.dns, { revision: known, logs: true }, options)
  const isSame = answer.manifest === null || answer.manifest === undefined || answer.revision === known
  return isSame ? undefined : answer
}

/**
 * Has the resolver take an answer over. When that takes long, as with a list, and the service knows something newer, it ends and that
 * is returned. What came whole is not fetched again, and what is being fetched goes on if the newer one names it, too.
 */
async function takeUnlessNewer(
  dependencies: DnsLoopDependencies,
  { revision, manifest }: Answer,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  const [isOver, isOutdated] = [new AbortController(), new AbortController()]
  const watch = watchForNewer(dependencies, revision, AbortSignal.any([signal, isOver.signal])).then((newer) => {
    if (newer !== undefined) isOutdated.abort()
    return newer
  })
  try {
    await dependencies.resolver.take(revision, manifest, AbortSignal.any([signal, isOutdated.signal]))
  } catch (error) {
    if (signal.aborted || !isOutdated.signal.aborted) throw error
  } finally {
    isOver.abort()
  }
  return watch
}

/** Waits for something newer than a revision until the signal; undefined when there was nothing, or the service does not answer. */
async function watchForNewer(
  dependencies: DnsLoopDependencies,
  revision: string,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  try {
    await dependencies.timers.delay(longFetchMs, signal)
    while (!signal.aborted) {
      const newer = await askFor(dependencies, revision, signal)
      if (newer !== undefined) return newer
      await dependencies.timers.delay(longFetchMs, signal)
    }
  } catch {
    // The fetch itself says what is wrong.
  }
  return undefined
}
