import { createLastingThrottle, type Attempts, type RequestOrigin } from '@hearth/accounts'
import type { SecurityLog } from '@hearth/accounts/security-log'
import { addressGroup } from '@hearth/http'
import { signInWindows } from '../accounts/sign-in.ts'

/** Awaits a proof of who one is; throws, without asking for it, after too many failures of one address. */
export type AddressLimit = <T>(from: RequestOrigin, prove: () => Promise<T>) => Promise<T>

/**
 * Creates the limit of failed sign-ins at the portal, as lasting as that of the service's own sign-in. Visitors whose address is not
 * known share one count.
 */
export function createAddressLimit(attempts: Attempts, securityLog: Pick<SecurityLog, 'watch'>): AddressLimit {
  const throttle = createLastingThrottle(attempts, signInWindows)
  return async (from, prove) => {
    const key = `portal ${addressGroup(from.address)}`
    await securityLog.watch(Promise.resolve(throttle.attempt(key)), { from })
    const proven = await prove()
    await throttle.succeed(key)
    return proven
  }
}
