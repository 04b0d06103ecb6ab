import { UploadRejected } from '../../../certificates/uploads/read-pem.ts'
import type { AcmeOrder } from '../../client/acme-client.ts'
import { createRequest } from '../../client/certificate-request.ts'
import { expired } from '../failures.ts'
import type { Outcome, Progress } from '../order-machine.ts'
import type { Performed, StepContext } from './perform-step.ts'
import { issued } from './renewal.ts'
import { pollPause } from './spreading.ts'
import { pollAfter } from './validation.ts'

const minute = 60_000
/** Time that an authority has to notice proofs and signing requests that it has taken. */
const maxNotice = minute
/** Time for which the authority may issue the certificate. */
const maxIssuance = 24 * 60 * minute

type At<S extends Progress['step']> = Extract<Progress, { step: S }>

const isOver = ({ status, error }: AcmeOrder): Outcome =>
  expired(`The order is ${status}${error === undefined ? '' : `: ${error.detail}`}`)

/** Hands the signing request in. */
export async function finalize(context: StepContext, progress: At<'finalize'>): Promise<Outcome> {
  const { client, signer, domains, key, now } = context
  const account = await signer()
  if (key === undefined) return expired('The key of the order is gone')
  const found = await client.findOrder(account, progress.order)
  const isFresh = progress.since !== undefined && now - progress.since <= maxNotice
  if (found.status === 'pending' && isFresh)
    return { kind: 'wait', ms: pollAfter(found.retryAfterMs), text: 'The authority checks the order' }
  if (found.status === 'invalid' || found.status === 'pending') return isOver(found)
  if (found.status === 'ready') await client.finalize(account, progress.finalize, createRequest(domains, key))
  const { order, finalize: finalizeUrl } = progress
  const text = 'The certificate is being issued'
  return { kind: 'next', progress: { step: 'download', order, finalize: finalizeUrl, since: now }, text }
}

/** Fetches the certificate once it is issued, and stores it. */
export async function download(context: StepContext, progress: At<'download'>): Promise<Performed> {
  const { client, signer, key, install, now } = context
  const account = await signer()
  const found = await client.findOrder(account, progress.order)
  if (key === undefined || found.status === 'invalid' || found.status === 'pending') return { outcome: isOver(found) }
  if (found.certificate === undefined || found.status === 'ready')
    return { outcome: awaitIssuance(found, progress, now) }
  const chain = await client.download(account, found.certificate)
  try {
    const certificateId = await install(chain, key)
    return { outcome: await issued(client, chain, now), key: null, certificateId }
  } catch (error) {
    if (!(error instanceof UploadRejected)) throw error
    const text = `The certificate that the authority issued cannot be used: ${error.field} ${error.message}`
    return { outcome: { kind: 'failed', failure: { code: 'authority-refused', text } } }
  }
}

function awaitIssuance(
  { status, retryAfterMs }: AcmeOrder & { readonly retryAfterMs: number | undefined },
  progress: At<'download'>,
  now: number,
): Outcome {
  const { since } = progress
  const text = 'The authority issues the certificate'
  // Orders of earlier versions do not say when their signing request was handed in.
  if (since === undefined) return { kind: 'next', progress: { ...progress, since: now }, text }
  if (status === 'ready' && now - since > maxNotice) return expired('The authority has not taken the signing request')
  if (now - since > maxIssuance) return expired('The authority did not issue the certificate in a day')
  return { kind: 'wait', ms: pollAfter(retryAfterMs ?? pollPause(now - since)), text }
}
