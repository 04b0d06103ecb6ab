import type { Authorization } from '../../client/acme-client.ts'
import { expired } from '../failures.ts'
import type { Challenge, Outcome, Progress } from '../order-machine.ts'
import type { StepContext } from './perform-step.ts'

const second = 1000
const minute = 60 * second
/** Time for which the authority may check the proofs. */
const maxValidation = 30 * minute

type Validate = Extract<Progress, { step: 'validate' }>
type ValidateContext = Pick<StepContext, 'client' | 'signer' | 'now'>

/** Answers each challenge once, then waits until the authority has checked all proofs. */
export async function validate(context: ValidateContext, progress: Validate): Promise<Outcome> {
  const { answered = [], ...rest } = progress
  const open = progress.challenges.find(({ url }) => !answered.includes(url))
  if (open === undefined) return awaitProofs(context, progress)
  const failure = await answer(context, open)
  if (failure !== undefined) return failure
  const text = `The authority is asked to check ${open.domain}`
  return { kind: 'next', progress: { ...rest, answered: [...answered, open.url] }, text }
}

/** Tells the authority that the proof is in place, unless it knows already; returns why there is nothing to tell any more. */
async function answer({ client, signer }: ValidateContext, challenge: Challenge): Promise<Outcome | undefined> {
  const account = await signer()
  const found = await client.findAuthorization(account, challenge.authorization)
  if (!['valid', 'pending'].includes(found.status)) return refusal(challenge, found)
  if (found.status === 'pending' && offered(challenge, found)?.status === 'pending')
    await client.respond(account, challenge.url)
  return undefined
}

async function awaitProofs({ client, signer, now }: ValidateContext, progress: Validate): Promise<Outcome> {
  const account = await signer()
  let waitMs: number | undefined
  for (const challenge of progress.challenges) {
    const found = await client.findAuthorization(account, challenge.authorization)
    if (found.status === 'valid') continue
    if (found.status !== 'pending') return refusal(challenge, found)
    waitMs = Math.max(waitMs ?? 0, pollAfter(found.retryAfterMs))
  }
  const { order, finalize, since } = progress
  if (waitMs === undefined)
    return { kind: 'next', progress: { step: 'finalize', order, finalize, since: now }, text: 'All names are proved' }
  if (now - since > maxValidation) return expired('The authority did not check the proofs in 30 minutes')
  return { kind: 'wait', ms: waitMs, text: 'The authority checks the records' }
}

const offered = ({ url }: Challenge, { challenges }: Authorization) => challenges.find((each) => each.url === url)

function refusal(challenge: Challenge, found: Authorization): Outcome {
  const { domain } = challenge
  if (found.status !== 'invalid') return expired(`The proof of ${domain} is ${found.status}`)
  const detail = offered(challenge, found)?.error?.detail ?? ''
  const text = `The authority could not verify ${domain}${detail === '' ? '' : `: ${detail.slice(0, 400)}`}`
  return { kind: 'failed', failure: { code: 'validation-failed', text } }
}

/** Milliseconds after which an authority is asked again for a result: as it says, within a second and half an hour. */
export const pollAfter = (retryAfterMs = 2 * second): number => Math.min(Math.max(retryAfterMs, second), 30 * minute)
