import { signInMethodRoutes } from '@hearth/accounts/sign-in-method-routes'
import type { MethodUser, SignInMethods } from '@hearth/accounts/sign-in-methods'
import type { Route } from '@hearth/http'
import type { Access, Caller, Limit } from '../access.ts'
import { openSessionOf, type SessionContext } from '../accounts/routes.ts'
import { Session } from '../accounts/schema.ts'
import type { Sessions } from '../accounts/sessions.ts'
import { Problem } from '../problems.ts'

const counted: Limit = 'counted'

/** The administrator of a session, with its key. Throws for the command line. */
export function methodCallerOf({ name, via }: Caller) {
  if (via.kind !== 'session') throw new Problem('sign_in_required', 'Sign in with a browser first')
  return { userId: name, username: name, key: via.key }
}

/** Passkeys and recovery codes: signing in with them, and the administrator's own. */
export function ownMethodRoutes(
  methods: SignInMethods<MethodUser>,
  sessions: Sessions,
  context: SessionContext,
): Route[] {
  return signInMethodRoutes<MethodUser, undefined, Caller>(methods, {
    prefix: '/admin/api',
    tag: 'Administration',
    access: { visitor: 'public' satisfies Access, user: 'admin' satisfies Access },
    limits: { start: counted, signIn: counted, read: counted, write: counted },
    cookie: { name: 'hearth_inverter_passkey', isPublishedSecurely: context.isPublishedSecurely },
    callerOf: methodCallerOf,
    session: {
      schema: Session,
      open: (call, { username }, method) => openSessionOf({ sessions, context, call }, username, method),
    },
    recoversPasswords: true,
  })
}
