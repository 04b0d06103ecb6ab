import { z } from 'zod'
import { linkPaths, stateWaitMs } from '../nodes/link-schema.ts'
import type { ControlLink } from './control-link.ts'
import { type RepeatedRequest, repeatRequest } from './repeat-request.ts'
import type { WantedState } from './wanted-state.ts'

/** The answer of the service; what is in the state is looked at by itself, because it may be one that this version does not know. */
const Answer = z.object({ revision: z.string(), state: z.unknown() })

/** Time for an answer beside the wait of the service, milliseconds. */
const answerMs = 15_000

export interface StateLoopDependencies extends Pick<RepeatedRequest, 'timers' | 'log'> {
  readonly link: Pick<ControlLink, 'send'>
  readonly wanted: WantedState
  /** Called when another state was received, or came into force later. */
  readonly onReceived: () => void
}

/** Asks the service for the state of this node, again and again: each answer comes when there is another state. */
export function followState(dependencies: StateLoopDependencies, signal: AbortSignal): Promise<void> {
  const { wanted, onReceived } = dependencies
  const ask = () => askOnce(dependencies, signal)
  const what = 'sends no state for this node'
  const after = async () => {
    const { revision } = wanted
    await wanted.retry()
    if (wanted.revision !== revision) onReceived()
  }
  return repeatRequest({ ...dependencies, what, ask, after }, signal)
}

/** One request. Returns true when it brought another state. */
async function askOnce({ link, wanted, onReceived }: StateLoopDependencies, signal: AbortSignal): Promise<boolean> {
  const { received } = wanted
  const options = { answer: Answer, signal, timeoutMs: stateWaitMs + answerMs }
  const { revision, state } = await link.send(linkPaths.state, { revision: received }, options)
  if (state === null || state === undefined || revision === received) return false
  await wanted.take(revision, state)
  onReceived()
  return true
}
