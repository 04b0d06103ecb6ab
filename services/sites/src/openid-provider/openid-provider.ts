import { createThrottle, slidingWindow, type MemoryThrottle } from '@hearth/accounts'
import type { SecurityLog } from '@hearth/accounts/security-log'
import type { Sealer } from '@hearth/credentials'
import type { Database } from '@hearth/database'
import { addressGroup } from '@hearth/http'
import type { OutboundAllow } from '@hearth/outbound'
import type { Log, Timers } from '@hearth/runtime'
import type { AccountTables } from '../accounts/tables.ts'
import type { ApplicationSignIn } from '../portal/applications.ts'
import type { PortalUser } from '../portal/decide.ts'
import type { PageRequest } from '../portal/portal-page-request.ts'
import type { PortalState } from '../portal/portal-state.ts'
import { badRequest, Problem, tooMany } from '../problems.ts'
import { explainUse } from './account-claims.ts'
import { createTidy } from './artifact-adapter.ts'
import { Clients, namedGroups } from './clients/clients.ts'
import { answerInteraction } from './interactions.ts'
import { createLibraryHandler } from './library-handler.ts'
import { Logouts } from './logouts.ts'
import { loadOidcLibrary, type LibraryProvider, type OidcLibrary } from './oidc-library.ts'
import { createPortalLink, type PortalLink } from './portal-link.ts'
import { createLibraryProvider, interactionPath, providerPaths, type RequestPages } from './provider-configuration.ts'
import { SigningKeys } from './signing-keys.ts'
import * as store from './store.ts'
import type { OpenIdProviderTables } from './tables.ts'

/** Dependencies of the OpenID Connect provider. */
export interface OpenIdProviderDependencies {
  readonly database: Database<AccountTables & OpenIdProviderTables>
  readonly timers: Timers
  readonly log: Log
  readonly sealer: Sealer
  /** Key of the service. */
  readonly secret: Uint8Array
  readonly state: PortalState
  readonly securityLog: SecurityLog
  /** Returns the names of the groups of users. */
  readonly groups: () => Promise<readonly string[]>
  /** Ends a session of the portal. */
  readonly endSession: (id: string) => Promise<unknown>
  /** Destinations that the operator exempts from the outbound guard; addresses of applications are by being configured. */
  readonly allow: OutboundAllow
}

/** A provider for one address of the portal. */
interface ProviderAt {
  /** Names the keys it signs with. */
  readonly keys: string
  readonly provider: LibraryProvider
  readonly answer: (page: PageRequest) => void
}

/** Addresses of the portal, which differ by their port, for which a provider is kept. */
const maxProviders = 3
/** Longest address of a request, letters, and largest body, bytes. */
const maxTarget = 8192
const maxBody = 32_768

const discovery: ReadonlySet<string> = new Set([
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
])

/**
 * The OpenID Connect provider: applications sign people in through the portal, whose sessions are its sessions. The library is
 * loaded with the first request while there are applications.
 */
export class OpenIdProvider implements ApplicationSignIn {
  readonly clients: Clients
  readonly keys: SigningKeys
  readonly #dependencies: OpenIdProviderDependencies
  readonly #link: PortalLink
  readonly #logouts: Logouts
  readonly #tidy: () => Promise<void>
  readonly #requests: { readonly browsers: MemoryThrottle; readonly programs: MemoryThrottle }
  readonly #wrongSecrets: MemoryThrottle
  readonly #pages: RequestPages = new WeakMap()
  readonly #providers = new Map<string, ProviderAt>()
  #library: Promise<OidcLibrary> | undefined

  constructor(dependencies: OpenIdProviderDependencies) {
    const { timers: clock, secret } = dependencies
    this.#dependencies = dependencies
    this.clients = new Clients({ ...dependencies, clock, onChanged: () => this.#logouts.learnClients() })
    this.keys = new SigningKeys({ ...dependencies, clock })
    this.#link = createPortalLink(secret)
    this.#logouts = new Logouts({ ...dependencies, clients: this.clients, keys: this.keys, link: this.#link })
    this.#tidy = createTidy({ ...dependencies, clock })
    this.#requests = {
      browsers: createThrottle(slidingWindow(300, 60), clock),
      programs: createThrottle(slidingWindow(600, 60), clock),
    }
    this.#wrongSecrets = createThrottle(slidingWindow(20, 60), clock)
  }

  /** Returns the issuer of a portal that visitors reach at the usual port; undefined without a portal. */
  readonly issuer = (): string | undefined => {
    const host = this.#dependencies.state.current()?.host
    return host === undefined ? undefined : `https://${host}`
  }

  /** Watches which sessions end, and tells applications. */
  start(): Promise<void> {
    return this.#logouts.start()
  }

  close(): Promise<void> {
    return this.#logouts.close()
  }

  answers(path: string): boolean {
    return path.startsWith('/oidc/') || discovery.has(path)
  }

  async answer(page: PageRequest): Promise<void> {
    this.#limit(page)
    const at = await this.#providerAt(page.authority)
    if (at === undefined) throw new Problem(404, 'No application signs people in here')
    if (page.url.pathname.startsWith(interactionPath('')))
      return answerInteraction(
        { ...this.#dependencies, clock: this.#dependencies.timers, clients: this.clients },
        at.provider,
        page,
      )
    at.answer(page)
  }

  async findSignIn(id: string, authority: string): Promise<{ name: string; path: string } | undefined> {
    if (!/^[\w-]{43}$/.test(id)) return undefined
    // All of them know every sign-in; after a start there is none yet.
    const [known] = this.#providers.values()
    const at = known ?? (await this.#providerAt(authority))
    const interaction = await at?.provider.Interaction.find(id)
    const client = await this.clients.find(String(interaction?.params['client_id']))
    return client && { name: client.name, path: interactionPath(id) }
  }

  async namingGroup(group: string): Promise<string | undefined> {
    return namedGroups(await this.clients.all()).get(group)
  }

  async explainUse(origin: string, user: PortalUser | undefined): Promise<string | undefined> {
    const isThere = (uri: string) => new URL(uri).origin === origin
    const client = (await this.clients.all()).find(({ redirect_uris: uris }) => uris.some(isThere))
    return client && explainUse(client, user)
  }

  #limit({ request, url, from }: PageRequest): void {
    const { url: target = '' } = request
    if (target.length > maxTarget) throw new Problem(414, 'The address is too long')
    if (!/^\/(?!\/)/.test(target)) throw badRequest('The address cannot be read')
    if (Number(request.headers['content-length'] ?? 0) > maxBody) throw new Problem(413, 'The body is too large')
    const key = addressGroup(from.address)
    const isProgram = ![providerPaths.authorization, providerPaths.end_session, interactionPath('')].some((path) =>
      url.pathname.startsWith(path),
    )
    this.#requests[isProgram ? 'programs' : 'browsers'].attempt(key)
    const seconds = isProgram ? this.#wrongSecrets.waitOf(key) : 0
    if (seconds > 0) throw tooMany('Too many wrong client secrets', seconds)
  }

  /** Returns the provider for an address of the portal; undefined while there are no applications. */
  async #providerAt(authority: string): Promise<ProviderAt | undefined> {
    const { database } = this.#dependencies
    if (this.#library === undefined && (await store.listClientIds(database.query)).length === 0) return undefined
    const [library, keys] = [await (this.#library ??= loadOidcLibrary()), await this.keys.current()]
    const known = this.#providers.get(authority)
    if (known?.keys === keys.name) return known
    const provider = createLibraryProvider(
      {
        ...this.#dependencies,
        clock: this.#dependencies.timers,
        link: this.#link,
        clients: this.clients,
        tidy: this.#tidy,
        onLogin: (login) => this.#logouts.add(login),
        pages: this.#pages,
        library,
      },
      { issuer: `https://${authority}`, keys },
    )
    const at = { keys: keys.name, provider, answer: createLibraryHandler(provider, this.#events()) }
    this.#providers.delete(authority)
    for (const oldest of this.#providers.keys())
      if (this.#providers.size >= maxProviders) this.#providers.delete(oldest)
    this.#providers.set(authority, at)
    return at
  }

  #events() {
    const { log, securityLog, endSession } = this.#dependencies
    return {
      log,
      pages: this.#pages,
      onSignedIn: ({ session, from }: PageRequest, clientName: string) => {
        const by = session && { userId: session.user.id, username: session.user.username }
        void securityLog.record({ kind: 'sign_in', by, from, target: clientName, detail: 'to an application' })
      },
      onWrongSecret: ({ from }: PageRequest) => {
        this.#wrongSecrets.fail(addressGroup(from.address))
        log.warn(`an application sent a wrong client secret or client id from ${from.address}`)
      },
      endSession: async ({ session, from }: PageRequest) => {
        if (session === undefined) return
        const by = { userId: session.user.id, username: session.user.username }
        const event = { kind: 'sign_out', by, from, detail: 'at the portal' } as const
        await securityLog.recordAfter(endSession(session.id), event)
      },
    }
  }
}
