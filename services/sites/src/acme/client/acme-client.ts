import { type GuardedAnswer, type GuardedFetch, OutboundFailed, OutboundRefused } from '@hearth/outbound'
import { z } from 'zod'
import { AcmeError } from './acme-error.ts'
import { accountBinding, type ExternalAccount, signedBody, type Signer } from './jws.ts'
import { readRetryAfter } from './retry-after.ts'

const address = z.url({ protocol: /^https?$/ }).max(2048)
const Directory = z.object({
  newNonce: address,
  newAccount: address,
  newOrder: address,
  revokeCert: address.optional(),
  renewalInfo: address.optional(),
  meta: z.object({ externalAccountRequired: z.boolean().optional() }).optional(),
})
const ProblemDocument = z.object({ type: z.string().default(''), detail: z.string().default('') })

/** Reasons of a revocation, by their codes (RFC 5280 section 5.3.1). */
export const revocationReasons = { key_compromised: 1, superseded: 4, no_longer_used: 5 } as const
/** Reason of a revocation. */
export type RevocationReason = keyof typeof revocationReasons

/** An order as the authority has it. */
export const AcmeOrder = z.object({
  status: z.enum(['pending', 'ready', 'processing', 'valid', 'invalid']),
  authorizations: z.array(address).max(200),
  finalize: address,
  certificate: address.optional(),
  error: ProblemDocument.optional(),
})
export type AcmeOrder = z.infer<typeof AcmeOrder>

/** The proof of one name. */
export const Authorization = z.object({
  status: z.enum(['pending', 'valid', 'invalid', 'deactivated', 'expired', 'revoked']),
  identifier: z.object({ value: z.string().max(255) }),
  challenges: z
    .array(
      z.object({
        type: z.string(),
        url: address,
        status: z.string(),
        token: z.string().max(500).optional(),
        error: ProblemDocument.optional(),
      }),
    )
    .max(50),
})
export type Authorization = z.infer<typeof Authorization>

const RenewalInfo = z.object({
  suggestedWindow: z.object({ start: z.string(), end: z.string() }),
  explanationURL: z.string().max(500).optional(),
})

/** An answer with the members that the protocol keeps in headers. */
interface Signed {
  readonly answer: GuardedAnswer
  readonly retryAfterMs: number | undefined
}

const timeoutMs = 20_000
const maxBytes = 256 * 1024
/** Time for which the addresses of an authority hold, milliseconds. */
const maxDirectoryAge = 3_600_000
/** Stale nonces in a row after which a request has failed. */
const maxNonces = 5
const headers = { 'content-type': 'application/jose+json' }

/** What an account is created with. */
export interface AccountRequest {
  /** Where the authority writes to. */
  readonly email: string | undefined
  readonly external: ExternalAccount | undefined
}

/** An authority that speaks ACME (RFC 8555). Nothing is tried again but a stale nonce. Every call throws `AcmeError`. */
export class AcmeClient {
  readonly #fetch: GuardedFetch
  readonly #directoryUrl: string
  readonly #now: () => number
  #directory: (z.infer<typeof Directory> & { readonly readAt: number }) | undefined
  #nonce: string | undefined

  constructor(fetch: GuardedFetch, directoryUrl: string, now: () => number) {
    this.#fetch = fetch
    this.#directoryUrl = directoryUrl
    this.#now = now
  }

  /** Creates the account of a key, or finds it; returns its address. */
  async account(key: string, { email, external }: AccountRequest): Promise<string> {
    const { newAccount, meta } = await this.#addresses()
    if (external === undefined && meta?.externalAccountRequired === true) throw externalAccountMissing()
    const { answer } = await this.#signed({ key, account: undefined }, newAccount, {
      termsOfServiceAgreed: true,
      ...(email !== undefined && { contact: [`mailto:${email}`] }),
      ...(external !== undefined && { externalAccountBinding: accountBinding(key, newAccount, external) }),
    }).catch((error: unknown) => {
      throw error instanceof AcmeError ? ofBinding(error, external) : error
    })
    return this.#location(answer)
  }

  /** Begins an order; `replaces` names the certificate that it renews (RFC 9773 section 5). */
  async order(signer: Signer, names: readonly string[], replaces?: string): Promise<AcmeOrder & { url: string }> {
    const { newOrder, renewalInfo } = await this.#addresses()
    const identifiers = names.map((value) => ({ type: 'dns', value }))
    const renewed = replaces === undefined || renewalInfo === undefined ? {} : { replaces }
    const { answer } = await this.#signed(signer, newOrder, { identifiers, ...renewed })
    return { ...this.#read(AcmeOrder, answer), url: this.#location(answer) }
  }

  async findOrder(signer: Signer, url: string) {
    const { answer, retryAfterMs } = await this.#signed(signer, url)
    return { ...this.#read(AcmeOrder, answer), retryAfterMs }
  }

  async findAuthorization(signer: Signer, url: string) {
    const { answer, retryAfterMs } = await this.#signed(signer, url)
    return { ...this.#read(Authorization, answer), retryAfterMs }
  }

  /** Says that the proof of a challenge is in place. */
  async respond(signer: Signer, url: string): Promise<void> {
    await this.#signed(signer, url, {})
  }

  /** Hands in the signing request, DER. */
  async finalize(signer: Signer, url: string, csr: Uint8Array): Promise<AcmeOrder> {
    const { answer } = await this.#signed(signer, url, { csr: Buffer.from(csr).toString('base64url') })
    return this.#read(AcmeOrder, answer)
  }

  /** Returns the certificate with its chain, PEM. */
  async download(signer: Signer, url: string): Promise<string> {
    const { answer } = await this.#signed(signer, url)
    return Buffer.from(answer.body).toString('utf8')
  }

  /** Revokes a certificate, DER. Nothing happens when it is revoked already. */
  async revoke(signer: Signer, certificate: Uint8Array, reason: RevocationReason): Promise<void> {
    const { revokeCert } = await this.#addresses()
    if (revokeCert === undefined) throw new AcmeError('refused', 'It offers no revocation')
    const payload = { certificate: Buffer.from(certificate).toString('base64url'), reason: revocationReasons[reason] }
    await this.#signed(signer, revokeCert, payload).catch((error: unknown) => {
      if (!(error instanceof AcmeError && error.type === 'alreadyRevoked')) throw error
    })
  }

  /** Returns when a certificate should be renewed; undefined when the authority does not say. */
  async renewalWindow(
    id: string,
  ): Promise<{ start: number; end: number; explanation: string | undefined } | undefined> {
    const { renewalInfo } = await this.#addresses()
    if (renewalInfo === undefined) return undefined
    const answer = await this.#send(() =>
      this.#fetch(`${renewalInfo.replace(/\/$/, '')}/${id}`, { timeoutMs, maxBytes }),
    )
    if (answer.status !== 200) return undefined
    const { suggestedWindow, explanationURL } = this.#read(RenewalInfo, answer)
    const [start, end] = [Date.parse(suggestedWindow.start), Date.parse(suggestedWindow.end)]
    return Number.isFinite(start) && end >= start ? { start, end, explanation: explanationURL } : undefined
  }

  async #addresses(): Promise<z.infer<typeof Directory>> {
    const known = this.#directory
    if (known !== undefined && Math.abs(this.#now() - known.readAt) < maxDirectoryAge) return known
    const answer = await this.#send(() => this.#fetch(this.#directoryUrl, { timeoutMs, maxBytes }))
    if (answer.status !== 200) throw this.#errorOf(answer)
    const read = { ...this.#read(Directory, answer), readAt: this.#now() }
    this.#directory = read
    return read
  }

  async #signed(signer: Signer, url: string, payload?: object): Promise<Signed> {
    for (let left = maxNonces; ; left -= 1) {
      const nonce = await this.#takeNonce()
      const body = signedBody(signer, { url, nonce }, payload)
      const answer = await this.#send(() => this.#fetch(url, { method: 'POST', headers, body, timeoutMs, maxBytes }))
      this.#nonce = answer.headers.get('replay-nonce')
      if (answer.status < 300) return { answer, retryAfterMs: this.#retryAfter(answer) }
      const error = this.#errorOf(answer)
      if (left === 0 || error.type !== 'badNonce') throw error
    }
  }

  async #takeNonce(): Promise<string> {
    const known = this.#nonce
    this.#nonce = undefined
    if (known !== undefined) return known
    const { newNonce } = await this.#addresses()
    const answer = await this.#send(() => this.#fetch(newNonce, { method: 'HEAD', timeoutMs }))
    const nonce = answer.headers.get('replay-nonce')
    if (nonce === undefined) throw this.#errorOf(answer)
    return nonce
  }

  async #send(send: () => Promise<GuardedAnswer>): Promise<GuardedAnswer> {
    try {
      return await send()
    } catch (error) {
      if (error instanceof OutboundFailed)
        throw new AcmeError('away', `The authority: ${error.message}`, { cause: error })
      if (!(error instanceof OutboundRefused)) throw error
      const text = `The authority may not be reached: ${error.message}; see OUTBOUND_ALLOW`
      throw new AcmeError('refused', text, { type: 'outbound', cause: error })
    }
  }

  #errorOf(answer: GuardedAnswer): AcmeError {
    const { type, detail } = ProblemDocument.safeParse(jsonOf(answer)).data ?? { type: '', detail: '' }
    const short = type.replace(/^urn:ietf:params:acme:error:/, '')
    const text = detail === '' ? `The authority answered with status ${answer.status}` : detail
    const retryAfterMs = this.#retryAfter(answer)
    if (short === 'rateLimited' || answer.status === 429)
      return new AcmeError('rate-limited', text, { type: short, retryAfterMs })
    // An authority that takes none of its own nonces has a problem, and none with what was asked.
    const isAway = answer.status >= 500 || short === 'badNonce'
    return new AcmeError(isAway ? 'away' : 'refused', text, { type: short, retryAfterMs })
  }

  #retryAfter({ headers }: GuardedAnswer): number | undefined {
    return readRetryAfter(headers.get('retry-after'), this.#now())
  }

  #location(answer: GuardedAnswer): string {
    const { success, data } = address.safeParse(answer.headers.get('location'))
    if (!success) throw new AcmeError('away', 'The authority answered without an address')
    return data
  }

  #read<T>(schema: z.ZodType<T>, answer: GuardedAnswer): T {
    const { success, data } = schema.safeParse(jsonOf(answer))
    if (!success) throw new AcmeError('away', 'The authority gave an answer that cannot be read')
    return data
  }
}

const externalAccountMissing = () =>
  new AcmeError('refused', 'It takes only accounts that are bound to one of its customers (external account binding)', {
    type: 'externalAccountRequired',
  })

/** The failure to create an account, when the external account may be the cause. */
function ofBinding(error: AcmeError, external: ExternalAccount | undefined): AcmeError {
  if (error.type === 'externalAccountRequired') return externalAccountMissing()
  if (external === undefined || !['unauthorized', 'malformed'].includes(error.type)) return error
  const words = `The external account ${external.keyId} was not accepted: ${error.message}`
  return new AcmeError('refused', words, { type: 'externalAccountRefused', cause: error })
}

function jsonOf({ body }: GuardedAnswer): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8')) as unknown
  } catch {
    return undefined
  }
}
