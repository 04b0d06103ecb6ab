import { X509Certificate } from 'node:crypto'
import { namesOf } from '../../certificates/certificate-facts.ts'
import { UploadRejected } from '../../certificates/uploads/read-pem.ts'
import type { AcmeClient } from '../client/acme-client.ts'
import { createRequest } from '../client/certificate-request.ts'
import { generateKey, type Signer, txtValue } from '../client/jws.ts'
import { renewalId } from '../client/renewal-id.ts'
import type { Lookups } from '../dns/lookups.ts'
import { type DnsProvider, ProviderFailed, type TxtRecord } from '../providers/provider.ts'
import { expired } from './failures.ts'
import { type Challenge, type Outcome, type Progress, twoThirds } from './order-machine.ts'
import { judgeSpread } from './spreading.ts'
import { pollAfter, validate } from './validation.ts'

/** What a step of one order works with. */
export interface StepContext {
  readonly domains: readonly string[]
  readonly progress: Exclude<Progress, { step: 'revoked' }>
  readonly renewAt: number | null
  readonly client: AcmeClient
  readonly lookups: Lookups
  readonly provider: DnsProvider
  readonly now: number
  /** Finds or creates the account at the authority. */
  readonly signer: () => Promise<Signer>
  /** Key of the certificate that is being ordered, PEM; undefined before there is one. */
  readonly key: string | undefined
  /** The certificate that is in use, PEM; undefined before the first. */
  readonly current: string | undefined
  /** Stores that a record is about to be made. */
  readonly note: (record: TxtRecord) => Promise<void>
  /** Stores the issued certificate; returns its id. */
  readonly install: (chain: string, key: string) => Promise<number>
}

/** Outcome of a step, and what is stored with it. */
export interface Performed {
  readonly outcome: Outcome
  /** PEM. */
  readonly key?: string | null
  readonly certificateId?: number
}

const minute = 60_000
/** Time that a new certificate is left alone. */
const minRest = 60 * minute

/** Does what a step needs. Every step may be repeated from its start, as after a crash. */
export async function performStep(context: StepContext): Promise<Performed> {
  const { progress } = context
  switch (progress.step) {
    case 'idle':
      return { outcome: await checkRenewal(context) }
    case 'account':
      await context.signer()
      return { outcome: { kind: 'next', progress: { step: 'order' }, text: 'The account at the authority is ready' } }
    case 'order':
      return placeOrder(context)
    case 'read':
      return { outcome: await readChallenges(context, progress) }
    case 'publish':
      return { outcome: await publish(context, progress) }
    case 'spread':
      return { outcome: await judgeSpread(context, progress) }
    case 'validate':
      return { outcome: await validate(context, progress) }
    case 'finalize':
      return { outcome: await finalize(context, progress) }
    case 'download':
      return download(context, progress)
  }
}

/** Asks the authority when the certificate should be renewed; a certificate that is to be revoked is due at once. */
async function checkRenewal({ client, current, renewAt, now }: StepContext): Promise<Outcome> {
  const due = (text: string): Outcome => ({ kind: 'next', progress: { step: 'account' }, text })
  if (current === undefined) return due('The certificate is ordered')
  const advised = await advisedRenewal(client, current, renewAt)
  const at = Math.min(advised?.at ?? renewAt ?? now, latestRenewal(current))
  if (at > now) return { kind: 'rest', renewAt: at }
  const why = advised?.isEarly === true ? 'The authority asks for the renewal now' : 'The renewal is due'
  return due(advised?.explanation === undefined ? why : `${why}: ${advised.explanation}`)
}

/** When a tenth of the life is left: neither an authority nor a clock that was wrong may let a certificate expire. */
function latestRenewal(chain: string): number {
  const { validFromDate, validToDate } = new X509Certificate(chain)
  const notAfter = validToDate.getTime()
  return Math.round(notAfter - (notAfter - validFromDate.getTime()) / 10)
}

async function advisedRenewal(client: AcmeClient, current: string, known: number | null) {
  const certificate = new X509Certificate(current)
  const id = renewalId(certificate)
  // Without an answer the time that is known holds.
  const window = id === undefined ? undefined : await client.renewalWindow(id).catch(() => undefined)
  if (window === undefined) return undefined
  const { start, end, explanation } = window
  const isKnown = known !== null && known >= start && known <= end
  const at = isKnown ? known : Math.round(start + Math.random() * (end - start))
  const usual = twoThirds(certificate.validFromDate.getTime(), certificate.validToDate.getTime())
  return { at, explanation, isEarly: end < usual }
}

async function placeOrder({ client, signer, domains, current }: StepContext): Promise<Performed> {
  const replaces = current === undefined ? undefined : renewalId(new X509Certificate(current))
  const account = await signer()
  // An authority that does not know the certificate any more refuses an order that names it.
  const placed = await client.order(account, domains, replaces).catch((error: unknown) => {
    if (replaces === undefined || !isRefusal(error)) throw error
    return client.order(account, domains)
  })
  const { url: order, finalize: finalizeUrl, authorizations } = placed
  const progress = { step: 'read', order, finalize: finalizeUrl, authorizations } as const
  const text = `The order for ${domains.join(', ')} is placed`
  return { outcome: { kind: 'next', progress, text }, key: generateKey() }
}

const isRefusal = (error: unknown): boolean =>
  error instanceof Error &&
  'failure' in error &&
  error.failure === 'refused' &&
  'type' in error &&
  error.type !== 'outbound'

type At<S extends Progress['step']> = Extract<Progress, { step: S }>

async function readChallenges({ client, signer }: StepContext, progress: At<'read'>): Promise<Outcome> {
  const account = await signer()
  const challenges: Challenge[] = []
  for (const url of progress.authorizations) {
    const { status, identifier, challenges: offered } = await client.findAuthorization(account, url)
    if (status === 'valid') continue
    if (status !== 'pending') return expired(`The proof of ${identifier.value} is ${status}`)
    const found = offered.find(({ type }) => type === 'dns-01')
    if (found?.token === undefined) {
      const text = `The authority offers no proof by DNS for ${identifier.value}`
      return { kind: 'failed', failure: { code: 'authority-refused', text } }
    }
    const value = txtValue(found.token, account.key)
    challenges.push({ authorization: url, url: found.url, domain: identifier.value, value })
  }
  const { order, finalize: finalizeUrl } = progress
  const placed = { order, finalize: finalizeUrl }
  if (challenges.length === 0)
    return { kind: 'next', progress: { ...placed, step: 'finalize' }, text: 'All names are proved already' }
  const names = challenges.map(({ domain }) => domain).join(', ')
  return { kind: 'next', progress: { ...placed, step: 'publish', challenges }, text: `To be proved by DNS: ${names}` }
}

async function publish(context: StepContext, progress: At<'publish'>): Promise<Outcome> {
  const { lookups, provider, note, now } = context
  const records: TxtRecord[] = []
  for (const { domain, value } of progress.challenges) {
    const name = await lookups.follow(`_acme-challenge.${domain}`)
    records.push({ zone: await provider.findZone(name), name, value })
  }
  checkRoom(records, provider)
  for (const record of records) {
    await note(record)
    await provider.addTxt(record)
  }
  const made = new Set(records.map(({ name, zone }) => `${name} in the zone ${zone}`))
  const text = `TXT record added: ${[...made].join(', ')}`
  return { kind: 'next', progress: { ...progress, step: 'spread', since: now }, text }
}

/** Throws `ProviderFailed` when the provider keeps fewer values of a name than the order needs. */
function checkRoom(records: readonly TxtRecord[], { maxValues = Infinity }: DnsProvider): void {
  for (const [name, { length }] of Map.groupBy(records, ({ name }) => name)) {
    if (length <= maxValues) continue
    const words = `The DNS provider keeps ${maxValues} values of ${name}, and this order needs ${length}`
    throw new ProviderFailed('refused', `${words}: order fewer names with one certificate`)
  }
}

async function finalize({ client, signer, domains, key }: StepContext, progress: At<'finalize'>): Promise<Outcome> {
  const account = await signer()
  if (key === undefined) return expired('The key of the order is gone')
  const found = await client.findOrder(account, progress.order)
  if (found.status === 'ready') await client.finalize(account, progress.finalize, createRequest(domains, key))
  if (found.status === 'invalid' || found.status === 'pending')
    return expired(`The order is ${found.status}${found.error === undefined ? '' : `: ${found.error.detail}`}`)
  const { order, finalize: finalizeUrl } = progress
  const text = 'The certificate is being issued'
  return { kind: 'next', progress: { step: 'download', order, finalize: finalizeUrl }, text }
}

async function download(context: StepContext, progress: At<'download'>): Promise<Performed> {
  const { client, signer, key, install, now } = context
  const account = await signer()
  const found = await client.findOrder(account, progress.order)
  if (key === undefined || found.status === 'invalid' || found.status === 'pending')
    return {
      outcome: expired(`The order is ${found.status}${found.error === undefined ? '' : `: ${found.error.detail}`}`),
    }
  // The authority has not taken the signing request, or has lost it.
  if (found.status === 'ready')
    return { outcome: { kind: 'next', progress: { ...progress, step: 'finalize' }, text: 'The order is ready' } }
  if (found.certificate === undefined)
    return {
      outcome: { kind: 'wait', ms: pollAfter(found.retryAfterMs), text: 'The authority issues the certificate' },
    }
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

async function issued(client: AcmeClient, chain: string, now: number): Promise<Outcome> {
  const certificate = new X509Certificate(chain)
  const [notBefore, notAfter] = [certificate.validFromDate.getTime(), certificate.validToDate.getTime()]
  const advised = await advisedRenewal(client, chain, null)
  // An authority that wants even a new certificate renewed must not get one order after the other.
  const earliest = now + Math.min(minRest, twoThirds(0, notAfter - notBefore))
  const renewAt = Math.max(earliest, Math.min(advised?.at ?? twoThirds(notBefore, notAfter), latestRenewal(chain)))
  const until = certificate.validToDate.toISOString().slice(0, 10)
  return {
    kind: 'issued',
    renewAt,
    notAfter,
    text: `Issued for ${namesOf(certificate).join(', ')}, valid until ${until}`,
  }
}
