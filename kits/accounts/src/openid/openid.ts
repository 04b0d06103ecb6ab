import type { Sealer } from '@hearth/credentials'
import type { Log } from '@hearth/runtime'
import { safeNextUrl } from '../next-url.ts'
import { createFlowSeal, type FlowSeal } from './flow.ts'
import { identityOf, type OpenIdIdentity } from './identity.ts'
import { OpenIdError } from './openid-error.ts'
import { createProvider, type Provider, type ProviderDependencies } from './provider.ts'
import type { OpenIdConfig } from './settings.ts'

export { type OpenIdIdentity } from './identity.ts'
export { fixedOpenId, type OpenIdSource } from './openid-source.ts'
export { checkAdministrator } from './one-account.ts'
export { signInOpenIdUser, type SignedInUser } from './openid-users.ts'

/** Dependencies of sign-in through a provider. */
export interface OpenIdDependencies extends Omit<ProviderDependencies, 'config' | 'redirectUri'> {
  readonly sealer: Sealer
  readonly log: Log
  /** Path of the routes, such as `/api/openid`. */
  readonly path: string
}

/** A sign-in that begins: where the browser goes, and what its cookie holds until it comes back. */
export interface StartedSignIn {
  readonly url: string
  readonly cookie: string
}

/** Sign-in through an OpenID Connect provider: authorization code flow with PKCE, state and nonce. */
export class OpenId {
  readonly #config: OpenIdConfig
  readonly #log: Log
  readonly #provider: Provider
  readonly #flows: FlowSeal

  constructor(config: OpenIdConfig, dependencies: OpenIdDependencies) {
    const { sealer, clock, path } = dependencies
    const redirectUri = `${config.publicUrl}${path}/callback`
    this.#config = config
    this.#log = dependencies.log
    this.#provider = createProvider({ ...dependencies, config, redirectUri })
    this.#flows = createFlowSeal(sealer, clock, redirectUri)
  }

  /** The provider's name on the button. */
  get name(): string {
    return this.#config.name
  }

  /** The address of the service as the provider knows it; only there the cookie meets the browser that comes back. */
  get publicUrl(): string {
    return this.#config.publicUrl
  }

  /** Begins a sign-in; `mustAskAgain` has the provider ask for the password even of those it knows. */
  async start(wantedNext: string | undefined, options: { mustAskAgain: boolean }): Promise<StartedSignIn> {
    try {
      const { url, ...flow } = await this.#provider.start(options)
      return { url, cookie: this.#flows.seal({ ...flow, next: safeNextUrl(wantedNext) }) }
    } catch (error) {
      throw this.#logged(error)
    }
  }

  /** Returns who came back from the provider, with the query of the address, and where they go then. Throws an `OpenIdError`. */
  async finish(query: string, cookie: string | undefined): Promise<{ identity: OpenIdIdentity; next: string }> {
    try {
      const flow = this.#flows.open(cookie)
      if (flow === undefined) throw new OpenIdError('openid_expired', 'the browser has no sign-in under way')
      return { identity: identityOf(await this.#provider.finish(query, flow), this.#config), next: flow.next }
    } catch (error) {
      throw this.#logged(error)
    }
  }

  #logged(error: unknown): unknown {
    if (error instanceof OpenIdError) this.#log.warn(`OpenID Connect: ${error.message}`)
    return error
  }
}
