import { noEnvelope, routeFor, type Route } from '@hearth/http'
import { LoginFinish, LoginOptions, LoginStart, maxCredential } from '../passkeys/schema.ts'
import { createCeremonyCookie } from './ceremony-cookie.ts'
import { errorsOf, success, type SignInMethodMount as Mount } from './mount.ts'
import { PasswordRecovery, RecoverySignIn } from './schema.ts'
import type { MethodUser, SignInMethods } from './sign-in-methods.ts'

/** Returns the routes that sign in with a passkey. */
export function passkeySignInRoutes<User extends MethodUser, Visitor, Caller>(
  methods: SignInMethods<User>,
  mount: Mount<User, Visitor, Caller>,
): Route[] {
  const { prefix, tag, access, limits, session, checkOpen, envelope: { wrap } = noEnvelope } = mount
  const route = routeFor<Record<string, Visitor>, string>()
  const path = `${prefix}/passkeys/login`
  const cookie = createCeremonyCookie({ ...mount.cookie, path })
  const shared = { method: 'POST', tag, access: access.visitor } as const
  return [
    route(
      {
        ...shared,
        path: `${path}/start`,
        summary: 'Begin to sign in with a passkey',
        description: 'The options are good for two minutes, once, and in the browser of the cookie alone.',
        limit: limits.start,
        body: LoginStart,
        success: success(LoginOptions, mount),
        errors: errorsOf(mount, 409, 503),
      },
      async (call) => {
        checkOpen?.()
        const { header, client } = call
        return wrap({ options: await methods.startSignIn(cookie.renew(call), header('origin') ?? client.origin) })
      },
    ),
    route(
      {
        ...shared,
        path: `${path}/finish`,
        summary: 'Sign in with a passkey',
        description: 'Sets the session cookie.',
        limit: limits.signIn,
        body: LoginFinish,
        maxBodyBytes: maxCredential,
        success: success(session.schema, mount),
        errors: errorsOf(mount, 400, 401),
      },
      async (call) => {
        checkOpen?.()
        const user = await methods.finishSignIn(call.body.credential, cookie.read(call) ?? '', call.client)
        cookie.clear(call)
        return wrap(await session.open(call, user, 'passkey'))
      },
    ),
  ]
}

/** Returns the route that signs in with a recovery code. */
export function recoveryRoute<User extends MethodUser, Visitor, Caller>(
  methods: SignInMethods<User>,
  mount: Mount<User, Visitor, Caller>,
): Route {
  const { prefix, tag, access, limits, session, recoversPasswords, checkOpen, envelope: { wrap } = noEnvelope } = mount
  const route = routeFor<Record<string, Visitor>, string>()
  return route(
    {
      method: 'POST',
      path: `${prefix}/session/recovery`,
      tag,
      summary: 'Sign in with a recovery code',
      description: recoversPasswords
        ? 'In place of the password, once. A new password may come with it.'
        : 'In place of the password, once.',
      access: access.visitor,
      limit: limits.signIn,
      body: recoversPasswords ? PasswordRecovery : RecoverySignIn,
      success: success(session.schema, mount),
      errors: errorsOf(mount, 401),
    },
    async (call) => {
      checkOpen?.()
      const user = await methods.signInByCode(call.body, call.client)
      return wrap(await session.open(call, user, 'recovery_code'))
    },
  )
}
