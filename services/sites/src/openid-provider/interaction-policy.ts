import { mayUse } from './account-claims.ts'
import type { LibraryContext, LibraryPolicy } from './oidc-library.ts'
import type { ProviderDependencies } from './provider-configuration.ts'

/** Name of the interaction with a user who may not use an application. */
export const accessPrompt = 'access'

/** Interactions in which somebody signs in: because nobody is, or because the application asks for it. */
export const signInPrompts: ReadonlySet<string> = new Set(['login', 'select_account'])

/** Creates the order of interactions: signing in, being a user who may use the application, consent. */
export function createPolicy({ library, clients, state }: ProviderDependencies): LibraryPolicy {
  const { base, Prompt, Check } = library.interactionPolicy
  const policy = base()
  policy.add(new Prompt({ name: 'select_account', requestable: true }), 0)
  const check = new Check('not_allowed', 'this user may not use the application', 'access_denied', isRefused)
  policy.add(new Prompt({ name: accessPrompt, requestable: false }, check), 2)
  return policy

  async function isRefused({ oidc }: LibraryContext): Promise<boolean> {
    const user = state.current()?.users.get(oidc?.session?.accountId ?? '')
    const client = await clients.find(oidc?.client?.clientId ?? '')
    return user === undefined || client === undefined || !mayUse(client, user)
  }
}
