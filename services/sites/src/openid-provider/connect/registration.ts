import { createHmac, hkdfSync } from 'node:crypto'
import { isSameSecret } from '@hearth/credentials'
import { z } from 'zod'
import type { PageRequest } from '../../portal/portal-page-request.ts'
import { headerOf } from '../../portal/request-header.ts'
import type { Client } from '../clients/clients.ts'

/** Path at which services register (RFC 7591), and below which they read and remove their registration (RFC 7592). */
export const registrationPath = '/connect/registration'

/** The members of a registration that are looked at. */
export const RegistrationRequest = z.looseObject({
  redirect_uris: z.array(z.string()).length(1),
  token_endpoint_auth_method: z.literal('client_secret_basic'),
  code_verifier: z.string().min(43).max(128),
})

/** Tokens with which services read and remove their registration. */
export type RegistrationTokens = ReturnType<typeof createRegistrationTokens>

/**
 * Creates the tokens. They follow from the service's key, so that nothing has to be stored.
 *
 * @param secret the service's key
 */
export function createRegistrationTokens(secret: Uint8Array) {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'hearth sites registration', 32))
  const tokenOf = (clientId: string) => createHmac('sha256', key).update(clientId).digest('base64url')
  return {
    create: tokenOf,
    isRight: (given: string, clientId: string): boolean => isSameSecret(given, tokenOf(clientId)),
  }
}

/** The bearer token of a request; empty without one. */
export const bearerOf = ({ request }: Pick<PageRequest, 'request'>): string =>
  /^Bearer ([\w.~+/-]{1,512}=*)$/i.exec(headerOf(request, 'authorization'))?.[1] ?? ''

/** The id of the application in a path below `registrationPath`. */
export const clientIdOf = ({ url }: Pick<PageRequest, 'url'>): string =>
  /^\/connect\/registration\/([\w-]{1,64})$/.exec(url.pathname)?.[1] ?? ''

/** The groups of an application, as its service reads them; `*` for everybody. */
export function groupsOf({ groups, admin_groups: admins }: Pick<Client, 'groups' | 'admin_groups'>) {
  return { hearth_allowed_groups: groups.length === 0 ? ['*'] : groups, hearth_admin_groups: admins ?? [] }
}
