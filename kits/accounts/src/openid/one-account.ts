import type { OpenIdIdentity } from './identity.ts'
import { OpenIdError } from './openid-error.ts'

/**
 * Checks whether a person may use the one account of a service: an administrator, or anybody who may sign in where no groups
 * of administrators are configured. Throws an `OpenIdError`.
 */
export function checkAdministrator({ role, name }: OpenIdIdentity): void {
  if (role === 'user')
    throw new OpenIdError('openid_not_allowed', 'none of the person’s groups is one of administrators', {
      person: name,
    })
}
