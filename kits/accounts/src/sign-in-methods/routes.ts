import { noEnvelope, routeFor, type Route } from '@hearth/http'
import { maxCredential, Passkey, PasskeyRename, RegisterFinish, RegisterOptions } from '../passkeys/schema.ts'
import { errorsOf, success, type SignInMethodMount as Mount } from './mount.ts'
import { CurrentPassword, OwnPasskeyParams, PasskeyList, RecoveryCodeCount, RecoveryCodes } from './schema.ts'
import { passkeySignInRoutes, recoveryRoute } from './sign-in-routes.ts'
import type { MethodUser, SignInMethods } from './sign-in-methods.ts'

export type { SignInMethodMount } from './mount.ts'

/** Returns the routes of passkeys and recovery codes, for the service to mount. */
export function signInMethodRoutes<User extends MethodUser, Visitor, Caller>(
  methods: SignInMethods<User>,
  mount: Mount<User, Visitor, Caller>,
): Route[] {
  return [
    ...passkeySignInRoutes(methods, mount),
    recoveryRoute(methods, mount),
    ...registrationRoutes(methods, mount),
    ...passkeyListRoutes(methods, mount),
    ...recoveryCodeRoutes(methods, mount),
  ]
}

function registrationRoutes<User extends MethodUser, Visitor, Caller>(
  methods: SignInMethods<User>,
  mount: Mount<User, Visitor, Caller>,
): Route[] {
  const { prefix, tag, access, limits, callerOf, envelope: { wrap } = noEnvelope } = mount
  const route = routeFor<Record<string, Caller>, string>()
  const shared = { method: 'POST', tag, access: access.user, limit: limits.write } as const
  return [
    route(
      {
        ...shared,
        path: `${prefix}/passkeys/register/start`,
        summary: 'Begin to register a passkey',
        description: 'The options are good for two minutes, once, and in this session alone.',
        body: CurrentPassword,
        success: success(RegisterOptions, mount),
        errors: errorsOf(mount, 409, 503),
      },
      async ({ caller, body, header, client }) => {
        const proof = { password: body.current_password, from: client }
        const origin = header('origin') ?? client.origin
        return wrap({ options: await methods.startRegistration(callerOf(caller), origin, proof) })
      },
    ),
    route(
      {
        ...shared,
        path: `${prefix}/passkeys/register/finish`,
        summary: 'Register a passkey',
        body: RegisterFinish,
        maxBodyBytes: maxCredential,
        success: success(Passkey, mount),
        errors: errorsOf(mount, 400, 409),
      },
      async ({ caller, body, client }) => wrap(await methods.finishRegistration(callerOf(caller), body, client)),
    ),
  ]
}

function passkeyListRoutes<User extends MethodUser, Visitor, Caller>(
  methods: SignInMethods<User>,
  mount: Mount<User, Visitor, Caller>,
): Route[] {
  const { prefix, tag, access, limits, callerOf, envelope: { wrap } = noEnvelope } = mount
  const route = routeFor<Record<string, Caller>, string>()
  const shared = { tag, access: access.user } as const
  const one = { ...shared, params: OwnPasskeyParams, limit: limits.write } as const
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: `${prefix}/passkeys`,
        summary: 'List your passkeys',
        limit: limits.read,
        success: success(PasskeyList, mount),
        errors: errorsOf(mount),
      },
      async ({ caller }) => wrap({ passkeys: await methods.listPasskeys(callerOf(caller).userId) }),
    ),
    route(
      {
        ...one,
        method: 'PATCH',
        path: `${prefix}/passkeys/{passkey_id}`,
        summary: 'Rename a passkey',
        body: PasskeyRename,
        success: success(Passkey, mount),
        errors: errorsOf(mount, 404),
      },
      async ({ caller, params, body }) =>
        wrap(await methods.renamePasskey(callerOf(caller).userId, params.passkey_id, body.device_name)),
    ),
    route(
      {
        ...one,
        method: 'POST',
        path: `${prefix}/passkeys/{passkey_id}/remove`,
        summary: 'Remove a passkey',
        description: 'Ends your other sessions. The answer lists the passkeys that are left.',
        body: CurrentPassword,
        success: success(PasskeyList, mount),
        errors: errorsOf(mount, 404),
      },
      async ({ caller, params, body, client }) => {
        const proof = { password: body.current_password, from: client }
        return wrap({ passkeys: await methods.removePasskey(callerOf(caller), params.passkey_id, proof) })
      },
    ),
  ]
}

function recoveryCodeRoutes<User extends MethodUser, Visitor, Caller>(
  methods: SignInMethods<User>,
  mount: Mount<User, Visitor, Caller>,
): Route[] {
  const { prefix, tag, access, limits, callerOf, envelope: { wrap } = noEnvelope } = mount
  const route = routeFor<Record<string, Caller>, string>()
  const shared = { tag, access: access.user, path: `${prefix}/recovery-codes` } as const
  return [
    route(
      {
        ...shared,
        method: 'GET',
        summary: 'Number of your recovery codes',
        limit: limits.read,
        success: success(RecoveryCodeCount, mount),
        errors: errorsOf(mount),
      },
      async ({ caller }) => wrap({ left: await methods.countCodes(callerOf(caller).userId) }),
    ),
    route(
      {
        ...shared,
        method: 'POST',
        summary: 'Make new recovery codes',
        description: 'Ten codes in place of all there were. They are shown this once.',
        limit: limits.write,
        body: CurrentPassword,
        success: success(RecoveryCodes, mount),
        errors: errorsOf(mount),
      },
      async ({ caller, body, client }) => {
        const proof = { password: body.current_password, from: client }
        return wrap({ codes: await methods.createCodes(callerOf(caller), proof) })
      },
    ),
  ]
}
