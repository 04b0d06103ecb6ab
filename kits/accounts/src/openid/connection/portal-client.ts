import {
  allowAddresses,
  createGuardedFetch,
  createOutboundPolicy,
  OutboundFailed,
  OutboundRefused,
  type GuardedRequest,
  type OutboundAllow,
  type PolicyOptions,
} from '@hearth/outbound'
import { parseJson } from '@hearth/runtime'
import { z } from 'zod'
import { KeySet } from './logout-token.ts'

/** Dependencies of requests to a portal. */
export interface PortalClientDependencies {
  /** Destinations that the operator exempts from the guard; the portal is one by being typed by an administrator. */
  readonly allow: OutboundAllow
  /** Looks the portal's host up; undefined for the system's resolver. */
  readonly resolver?: PolicyOptions['resolver'] | undefined
}

/** Thrown when a portal cannot be used. The message is a sentence for the administrator and holds nothing of the portal's answer. */
export class PortalError extends Error {
  override readonly name = 'PortalError'
  /** True when the portal did not answer, so that it may work later. */
  readonly isAway: boolean

  constructor(message: string, { isAway = false, cause }: { isAway?: boolean; cause?: unknown } = {}) {
    super(message, { cause })
    this.isAway = isAway
  }
}

/** Endpoints of a portal. */
export interface PortalEndpoints {
  readonly connect: string
  readonly registration: string
}

/** Groups that the portal lets in here; `*` among those allowed for everybody. */
export interface PortalGroups {
  readonly allowed: readonly string[]
  readonly admins: readonly string[]
}

/** What the portal has registered about this service. */
export interface RegisteredService {
  readonly groups: PortalGroups
  readonly redirectUris: readonly string[]
}

/** A service as the portal registered it. */
export interface Registration {
  readonly clientId: string
  readonly clientSecret: string
  readonly uri: string
  readonly token: string
  readonly groups: PortalGroups
}

const text = z.string().min(1).max(2000)
const Description = z.looseObject({ issuer: text, registration_endpoint: text, connect_endpoint: text })
const groupNames = z.array(z.string().min(1).max(255)).max(1000)
const Groups = z.looseObject({
  redirect_uris: z.array(text).max(100),
  hearth_allowed_groups: groupNames,
  hearth_admin_groups: groupNames,
})
const Registered = Groups.extend({
  client_id: text,
  client_secret: text,
  registration_client_uri: text,
  registration_access_token: text,
})

const timeoutMs = 10_000
/** For what somebody waits who opens the settings or signs in. */
const readTimeoutMs = 5000
const maxAnswer = 256 * 1024

/** Creates the requests to the portal with this issuer. Redirects are not followed, and answers have a bound. */
export function createPortalClient(issuer: string, dependencies: PortalClientDependencies) {
  const { send, checkOwn } = createRequests(issuer, dependencies)
  return {
    /** Reads the description of the portal. Throws a `PortalError` when there is none. */
    async discover(): Promise<PortalEndpoints> {
      const { status, body } = await send(`${issuer}/.well-known/hearth-portal`)
      const found = Description.safeParse(body)
      if (status !== 200 || !found.success) throw new PortalError(`There is no Hearth portal at ${issuer}`)
      if (found.data.issuer !== issuer)
        throw new PortalError(
          `The portal at ${issuer} says that it is at another address; type the address as it is there`,
        )
      return {
        connect: checkOwn(found.data.connect_endpoint),
        registration: checkOwn(found.data.registration_endpoint),
      }
    },

    /** Registers this service with the code that the portal's page gave out (RFC 7591). */
    async register(code: string, metadata: Readonly<Record<string, unknown>>): Promise<Registration> {
      const { registration } = await this.discover()
      const { status, body } = await send(registration, {
        method: 'POST',
        headers: { ...bearer(code), 'content-type': 'application/json' },
        body: JSON.stringify(metadata),
      })
      const found = Registered.safeParse(body)
      if (status === 401) throw new PortalError('The portal did not accept the permission any more; connect again')
      if (status !== 201 || !found.success) throw new PortalError('The portal did not register this service')
      const { data } = found
      return {
        clientId: data.client_id,
        clientSecret: data.client_secret,
        uri: checkOwn(data.registration_client_uri),
        token: data.registration_access_token,
        groups: groupsOf(data),
      }
    },

    /**
     * Reads what the portal has registered (RFC 7592): which groups it lets in, and where it sends people back. Undefined when it
     * does not know this service any more.
     */
    async read({ uri, token }: Pick<Registration, 'uri' | 'token'>): Promise<RegisteredService | undefined> {
      const { status, body } = await send(checkOwn(uri), { headers: bearer(token), timeoutMs: readTimeoutMs })
      if (status === 401) return undefined
      const found = Groups.safeParse(body)
      if (status !== 200 || !found.success)
        throw new PortalError('The portal does not say who may sign in here', { isAway: true })
      return { groups: groupsOf(found.data), redirectUris: found.data.redirect_uris }
    },

    /** Reads the keys with which the portal signs. */
    async readKeys(): Promise<KeySet> {
      const discovery = await send(`${issuer}/.well-known/openid-configuration`)
      const { data: found } = z.looseObject({ issuer: z.literal(issuer), jwks_uri: text }).safeParse(discovery.body)
      const keys = KeySet.safeParse((await send(checkOwn(found?.jwks_uri ?? ''))).body)
      if (!keys.success) throw new PortalError('The portal does not publish its keys', { isAway: true })
      return keys.data
    },

    /** Removes this service there. */
    async remove({ uri, token }: Pick<Registration, 'uri' | 'token'>): Promise<void> {
      const { status } = await send(checkOwn(uri), { method: 'DELETE', headers: bearer(token) })
      if (status !== 204 && status !== 401) throw new PortalError('The portal did not remove this service')
    },
  }
}

/** Sends requests to the portal, and checks that addresses in its answers are its own: secrets are sent to nobody else. */
function createRequests(issuer: string, { allow, resolver }: PortalClientDependencies) {
  const policy = createOutboundPolicy(allowAddresses(allow, [issuer]), resolver === undefined ? {} : { resolver })
  const guarded = createGuardedFetch(policy)
  return {
    send: async (url: string, request: GuardedRequest = {}): Promise<{ status: number; body: unknown }> => {
      try {
        const answer = await guarded(url, { timeoutMs, maxBytes: maxAnswer, ...request })
        return { status: answer.status, body: parseJson(Buffer.from(answer.body).toString()) }
      } catch (error) {
        throw awayError(issuer, error)
      }
    },
    checkOwn: (url: string): string => {
      if (!URL.canParse(url) || new URL(url).origin !== issuer)
        throw new PortalError(`${issuer} names an address of another server in its answer`)
      return url
    },
  }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

function groupsOf(found: z.infer<typeof Groups>): PortalGroups {
  return { allowed: found.hearth_allowed_groups, admins: found.hearth_admin_groups.filter((name) => name !== '*') }
}

/** Says why nothing came back, in words for the administrator. */
function awayError(issuer: string, error: unknown): unknown {
  if (!(error instanceof OutboundFailed || error instanceof OutboundRefused)) return error
  const { code } = (error.cause ?? {}) as { code?: unknown }
  const isUntrusted = typeof code === 'string' && /CERT|ISSUER|SIGNATURE/.test(code)
  const message = isUntrusted
    ? `This machine does not trust the certificate of ${issuer}. If it comes from your own authority, name that authority’s root certificate in NODE_EXTRA_CA_CERTS`
    : `The portal at ${issuer} cannot be used: ${error.message}`
  return new PortalError(message, { isAway: true, cause: error })
}
