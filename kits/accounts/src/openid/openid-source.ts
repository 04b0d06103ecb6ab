import type { OpenId } from './openid.ts'

/** The OpenID Connect provider through which people may sign in at the moment, if there is one. */
export interface OpenIdSource {
  find(): Promise<OpenId | undefined>
  /** As `find`, for a sign-in that begins. Throws an `OpenIdError` when the provider no longer serves this service. */
  findForSignIn(): Promise<OpenId | undefined>
  /** Called with the key of a session that began with the provider's session `sid`. */
  onSession?(key: string, sid: string): Promise<void>
}

/** Returns the source of a provider that the settings name, or of none. */
export function fixedOpenId(openId: OpenId | undefined): OpenIdSource {
  const find = () => Promise.resolve(openId)
  return { find, findForSignIn: find }
}
