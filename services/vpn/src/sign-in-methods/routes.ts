import { signInMethodRoutes } from '@hearth/accounts/sign-in-method-routes'
import type { SignInMethods } from '@hearth/accounts/sign-in-methods'
import type { SecurityLog } from '@hearth/accounts/security-log'
import type { Route } from '@hearth/http'
import type { Access, Caller, Limit, SessionCaller } from '../access.ts'
import { envelope } from '../envelope.ts'
import { openSessionOf, type SessionContext } from '../sessions/routes.ts'
import { Session } from '../sessions/schema.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { PasskeyHolder } from './sign-in-methods.ts'

const counted: Limit = 'counted'

/** The user of a session, with its key. */
export const methodCallerOf = ({ userId, username, via }: SessionCaller) => ({ userId, username, key: via.key })

/** Passkeys and recovery codes: signing in with them, and a user's own. */
export function ownMethodRoutes(
  methods: SignInMethods<PasskeyHolder>,
  sessions: Sessions,
  context: SessionContext & { readonly securityLog: SecurityLog },
): Route[] {
  return signInMethodRoutes<PasskeyHolder, Caller | undefined, SessionCaller>(methods, {
    prefix: '/api',
    tag: 'Session',
    access: { visitor: 'public' satisfies Access, user: 'session' satisfies Access },
    limits: { start: 'ceremony' satisfies Limit, signIn: counted, read: counted, write: counted },
    cookie: { name: 'hearth_vpn_passkey', isPublishedSecurely: context.isPublishedSecurely },
    callerOf: methodCallerOf,
    session: {
      schema: Session,
      open: (call, user, method) => openSessionOf({ sessions, context, call }, user, method),
    },
    recoversPasswords: true,
    envelope,
  })
}
