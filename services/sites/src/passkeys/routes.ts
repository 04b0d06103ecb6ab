import { safeNextUrl } from '@hearth/accounts'
import {
  LoginOptions,
  LoginStart,
  maxCredential,
  Passkey,
  PasskeyParams,
  PasskeyRename,
  RegisterFinish,
  RegisterOptions,
} from '@hearth/accounts/passkey-schema'
import type { Route } from '@hearth/http'
import { z } from 'zod'
import { route, type Visitor } from '../access.ts'
import type { SignInContext } from '../accounts/session-routes.ts'
import { Done } from '../accounts/schema.ts'
import { forbidden } from '../problems.ts'
import type { SecurityLog } from '@hearth/accounts/security-log'
import type { SitePasskeys } from './passkeys.ts'
import { LoginDone, LoginFinish, RegisterDone, RegisterStart } from './schema.ts'

const tag = 'Passkeys'

/** Both ceremonies, and a user's own passkeys. */
export function passkeyRoutes(
  passkeys: SitePasskeys,
  context: SignInContext & { readonly securityLog: SecurityLog },
): Route[] {
  const { securityLog } = context
  return [
    ...loginRoutes(passkeys, context),
    ...registerRoutes(passkeys, securityLog),
    ...ownRoutes(passkeys, securityLog),
  ]
}

function loginRoutes(passkeys: SitePasskeys, { cookies, refund }: SignInContext): Route[] {
  const shared = { method: 'POST', tag, access: 'public' } as const
  const finish = { ...shared, path: '/api/passkeys/login/finish' } as const
  return [
    route(
      {
        ...shared,
        path: '/api/passkeys/login/start',
        summary: 'Begin to sign in with a passkey',
        description: 'The options are good for two minutes, once, and in the session of the cookie alone.',
        limit: 'lasting 10/min 60/hour',
        body: LoginStart,
        success: { status: 200, body: LoginOptions },
        errors: [403, 409, 503],
      },
      async ({ caller, header, client }) => ({
        options: await passkeys.startSignIn(keyOf(caller), header('origin') ?? client.origin),
      }),
    ),
    route(
      {
        ...finish,
        summary: 'Sign in with a passkey',
        description: 'Sets a new cookie. A passkey that verified its user counts as two factors, and as confirmation.',
        limit: 'lasting 5/min 20/hour',
        body: LoginFinish,
        maxBodyBytes: maxCredential,
        success: { status: 200, body: LoginDone },
        errors: [401, 403],
      },
      async ({ caller, body, answer, client }) => {
        const { address, userAgent } = client
        const origin = { address, userAgent, before: caller.session?.key }
        const opened = await passkeys.finishSignIn(body.credential, keyOf(caller), origin)
        await refund(finish, client.address)
        const { csrf_token } = cookies.set({ answer, client }, opened)
        return {
          success: true as const,
          message: 'Signed in',
          redirect_url: safeNextUrl(body.next_url),
          csrf_token,
        }
      },
    ),
  ]
}

/** The guard refuses writes without a key; this only narrows the type. */
function keyOf({ key }: Visitor): string {
  if (key === undefined) throw forbidden('There is no session to sign in from; see GET /api/v1/csrf', 'csrf')
  return key
}

function registerRoutes(passkeys: SitePasskeys, securityLog: SecurityLog): Route[] {
  const shared = { method: 'POST', tag, access: 'session', limit: '10/min' } as const
  return [
    route(
      {
        ...shared,
        path: '/api/passkeys/register/start',
        summary: 'Begin to register a passkey',
        description: 'Needs the password, or a confirmation of who is calling within five minutes.',
        body: RegisterStart,
        success: { status: 200, body: RegisterOptions },
        errors: [409, 503],
      },
      async ({ caller, body, header, client }) => {
        const origin = header('origin') ?? client.origin
        const request = { origin, password: body.current_password, from: client }
        return { options: { ...(await passkeys.startRegistration(caller, request)) } }
      },
    ),
    route(
      {
        ...shared,
        path: '/api/passkeys/register/finish',
        summary: 'Register a passkey',
        body: RegisterFinish,
        maxBodyBytes: maxCredential,
        success: { status: 200, body: RegisterDone },
        errors: [409],
      },
      async ({ caller, body, client }) => {
        const registering = passkeys.finishRegistration(caller, body.credential, body.device_name)
        const passkey = await securityLog.recordAfter(registering, ({ device_name: target }) => ({
          kind: 'passkey_added',
          by: caller,
          from: client,
          target,
        }))
        return { success: true as const, message: 'Passkey registered', passkey }
      },
    ),
  ]
}

function ownRoutes(passkeys: SitePasskeys, securityLog: SecurityLog): Route[] {
  const one = { tag, path: '/api/passkeys/{id}', params: PasskeyParams, limit: '10/min' } as const
  return [
    route(
      {
        method: 'GET',
        path: '/api/passkeys',
        tag,
        summary: 'List your passkeys',
        access: 'session',
        limit: '60/min',
        success: { status: 200, body: z.array(Passkey) },
      },
      ({ caller }) => passkeys.list(caller.userId),
    ),
    route(
      {
        ...one,
        method: 'PATCH',
        summary: 'Rename a passkey',
        access: 'session',
        body: PasskeyRename,
        success: { status: 200, body: Passkey },
        errors: [404],
      },
      ({ caller, params, body }) => passkeys.rename(caller.userId, params.id, body.device_name),
    ),
    route(
      {
        ...one,
        method: 'DELETE',
        summary: 'Remove a passkey',
        description: 'Ends your other sessions. The last way to sign in stays.',
        access: 'recent-session',
        success: { status: 200, body: Done },
        errors: [404, 409],
      },
      async ({ caller, params, client }) => {
        await securityLog.recordAfter(passkeys.remove(caller, params.id), (target) => ({
          kind: 'passkey_removed',
          by: caller,
          from: client,
          target,
        }))
        return { success: true as const, message: 'Passkey removed' }
      },
    ),
  ]
}
