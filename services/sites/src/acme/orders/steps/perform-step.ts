import { X509Certificate } from 'node:crypto'
import type { AcmeClient } from '../../client/acme-client.ts'
import { generateKey, type Signer, txtValue } from '../../client/jws.ts'
import { renewalId } from '../../client/renewal-id.ts'
import type { Lookups } from '../../dns/lookups.ts'
import { type DnsProvider, ProviderFailed, type TxtRecord } from '../../providers/provider.ts'
import { expired } from '../failures.ts'
import { download, finalize } from './issuance.ts'
import type { Challenge, Outcome, Progress } from '../order-machine.ts'
import { checkRenewal } from './renewal.ts'
import { judgeSpread } from './spreading.ts'
import { validate } from './validation.ts'

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

async function readChallenges({ client, signer, now }: StepContext, progress: At<'read'>): Promise<Outcome> {
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
    return { kind: 'next', progress: { ...placed, step: 'finalize', since: now }, text: 'All names are proved already' }
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
