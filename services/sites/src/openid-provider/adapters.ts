import { createArtifactAdapter, type ArtifactDependencies } from './artifact-adapter.ts'
import type { Client } from './clients/clients.ts'
import type { LibraryAdapter } from './oidc-library.ts'
import type { ProviderDependencies } from './provider-configuration.ts'
import { createSessionAdapter } from './session-adapter.ts'
import * as store from './store.ts'

/** Creates the adapters of the library: where it finds clients and sessions, and keeps everything else. */
export function createAdapters(dependencies: ProviderDependencies, issuer: string) {
  const { database, clock, library, clients, pages } = dependencies
  const artifacts: ArtifactDependencies = {
    ...dependencies,
    issuer,
    alreadyUsed: () => new library.errors.InvalidGrant('used before'),
  }
  return (model: string): LibraryAdapter => {
    const adapter = createArtifactAdapter(model, artifacts)
    if (model === 'Client') return { ...adapter, find: async (id) => metadataOf(await clients.find(id)) }
    if (model !== 'Session') return adapter
    return createSessionAdapter({
      ...dependencies,
      now: () => clock.now(),
      sessionOfRequest() {
        const { ctx } = library.Provider
        return ctx && pages.get(ctx.req)?.session?.id
      },
      clientIds: () => store.listClientIds(database.query),
      states: adapter,
    })
  }
}

function metadataOf(client: Client | undefined): object | undefined {
  if (client === undefined) return undefined
  const { backchannel_logout_uri: logout, secretHash } = client
  return {
    client_id: client.id,
    client_name: client.name,
    redirect_uris: client.redirect_uris,
    post_logout_redirect_uris: client.post_logout_redirect_uris,
    pkce_required: client.is_public || client.pkce_required,
    response_types: ['code'],
    response_modes: ['query'],
    grant_types: ['authorization_code', 'refresh_token'],
    ...(secretHash === null
      ? { token_endpoint_auth_method: 'none' }
      : { token_endpoint_auth_method: 'client_secret_basic', client_secret: secretHash }),
    ...(logout !== null && { backchannel_logout_uri: logout, backchannel_logout_session_required: true }),
  }
}
