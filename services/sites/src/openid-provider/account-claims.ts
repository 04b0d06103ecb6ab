import type { PortalUser } from '../portal/decide.ts'
import type { Client } from './clients/clients.ts'
import type { LibraryContext, LibraryGrant, LibraryProvider } from './oidc-library.ts'
import type { ProviderDependencies } from './provider-configuration.ts'
import * as store from './store.ts'

/** Scopes that applications may ask for. */
export const scopes = ['openid', 'profile', 'email', 'groups', 'offline_access'] as const

/** Claims by their scope. */
export const claimsOfScopes = {
  openid: ['sub', 'auth_time', 'acr', 'amr'],
  profile: ['preferred_username', 'name'],
  email: ['email', 'email_verified'],
  groups: ['groups'],
}

/** A code or token, as far as it decides whose it is. */
export interface TokenOfAccount {
  readonly clientId: string
  readonly sessionUid?: string
}

/** Returns true when a user may use an application. */
export function mayUse({ groups }: Pick<Client, 'groups'>, user: PortalUser): boolean {
  return groups.length === 0 || groups.some((group) => user.groups.has(group))
}

/** Says who may sign in to an application, and whether the user is one of them. */
export function explainUse({ name, groups }: Pick<Client, 'name' | 'groups'>, user: PortalUser | undefined): string {
  const who = groups.length === 0 ? 'everybody who can sign in at the portal' : `members of ${groups.join(', ')}`
  const rule = `The application ${name} takes ${who}`
  if (user === undefined) return `${rule}.`
  if (mayUse({ groups }, user)) return `${rule}, and ${user.username} is one of them.`
  return `${rule}, and ${user.username} is in ${user.groups.size === 0 ? 'no group' : [...user.groups].join(', ')}.`
}

/**
 * Finds the user of a session, or of a code or token. The latter are nobody's any more once the session is over, or the user may
 * not use the application.
 */
export async function findAccount(
  { state, clients, clock }: ProviderDependencies,
  context: LibraryContext,
  { sub, token }: { readonly sub: string; readonly token: TokenOfAccount | undefined },
) {
  const snapshot = state.current()
  const user = snapshot?.users.get(sub)
  if (snapshot === undefined || user === undefined) return undefined
  const client = await clients.find(token?.clientId ?? context.oidc?.client?.clientId ?? '')
  if (token !== undefined) {
    const session = snapshot.sessions.get(token.sessionUid ?? '')
    const isOver = session === undefined || session.user.id !== sub || session.endsAt <= clock.now()
    if (isOver || client === undefined || !mayUse(client, user)) return undefined
  }
  return {
    accountId: sub,
    claims: (use: string) => (use === 'id_token' && client?.claims_in_id_token !== true ? { sub } : claimsOf(user)),
  }
}

/** Administrators alone set e-mail addresses, so the address of a user is one that somebody vouches for. */
function claimsOf({ id, username, email, groups }: PortalUser): Record<string, unknown> {
  return {
    sub: id,
    preferred_username: username,
    name: username,
    ...(email !== null && { email, email_verified: true }),
    groups: [...groups],
  }
}

/** Returns the scopes that a request asks for and the provider knows. */
function requestedScopes({ oidc }: LibraryContext): string[] {
  const requested = (oidc?.params?.['scope'] ?? '').split(' ')
  return scopes.filter((scope) => requested.includes(scope))
}

/**
 * Returns the grant of an application for the user of the session: of all scopes when the administrator agreed, otherwise of those
 * that the user agreed to. Undefined when the user has to be asked.
 */
export async function loadGrant(
  { database, clients, link }: ProviderDependencies,
  provider: LibraryProvider,
  context: LibraryContext,
): Promise<LibraryGrant | undefined> {
  const { client, account, session } = context.oidc ?? {}
  if (client === undefined || account === undefined || session === undefined) return undefined
  const granted = await grantedScopes()
  if (granted === undefined) return undefined
  const grant = new provider.Grant({ clientId: client.clientId, accountId: account.accountId })
  grant.jti = link.grantId(session.uid, client.clientId)
  grant.addOIDCScope(granted.join(' '))
  await grant.save()
  return grant

  async function grantedScopes(): Promise<readonly string[] | undefined> {
    const [clientId, userId] = [client?.clientId ?? '', account?.accountId ?? '']
    if ((await clients.find(clientId))?.consent !== 'asked') return scopes
    const consent = await store.findConsentRow(database.query, userId, clientId)
    const agreed = consent?.scopes.split(' ') ?? []
    return requestedScopes(context).every((scope) => agreed.includes(scope)) ? agreed : undefined
  }
}
