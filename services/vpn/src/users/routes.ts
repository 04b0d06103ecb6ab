import { eventOfUserChange, type NewSecurityEvent, type RequestOrigin } from '@hearth/accounts'
import type { SecurityLog } from '@hearth/accounts/security-log'
import type { Route } from '@hearth/http'
import { route, type Caller } from '../access.ts'
import { dataEnvelope, messageEnvelope, ok, page, pageEnvelope } from '../envelope.ts'
import { createEditAnswer, type Publish } from '../service-event.ts'
import { ListedUser, User, UserCreate, UserDeleted, UserListQuery, UserParams, UserUpdate } from './schema.ts'
import type { Users } from './users.ts'

/** Accounts: administrators manage them, everyone reads and changes their own. */
export function userRoutes(users: Users, publish: Publish, securityLog: SecurityLog): Route[] {
  const edited = createEditAnswer(publish, 'users')
  const recorded: Recorded = (action, { caller, client }, event) =>
    securityLog.recordAfter(action, ({ username }) => ({ ...event, by: caller, from: client, target: username }))
  return [...listRoutes(users, edited, recorded), ...memberRoutes(users, edited, recorded)]
}

type EditAnswer = ReturnType<typeof createEditAnswer>

/** Awaits a change of a user and records it in the security log. */
type Recorded = <Changed extends { username: string }>(
  action: Promise<Changed>,
  call: { readonly caller: Caller; readonly client: RequestOrigin },
  event: Pick<NewSecurityEvent, 'kind' | 'detail'>,
) => Promise<Changed>

const shared = { tag: 'Users', path: '/api/users', limit: 'counted' } as const

function listRoutes(users: Users, edited: EditAnswer, recorded: Recorded): Route[] {
  return [
    route(
      {
        ...shared,
        method: 'GET',
        summary: 'List users',
        access: 'admin',
        query: UserListQuery,
        success: { status: 200, body: pageEnvelope(ListedUser) },
      },
      async ({ query }) => page(await users.list(query), query),
    ),
    route(
      {
        ...shared,
        method: 'POST',
        summary: 'Create a user',
        access: 'admin',
        body: UserCreate,
        success: { status: 201, body: messageEnvelope(User) },
        errors: [409],
      },
      (call) => {
        const event = { kind: 'user_created', detail: `role: ${call.body.role}` } as const
        return edited(recorded(users.create(call.body), call, event), ({ username }) => `User ${username} created`)
      },
    ),
  ]
}

function memberRoutes(users: Users, edited: EditAnswer, recorded: Recorded): Route[] {
  const member = { ...shared, path: '/api/users/{id}', params: UserParams, errors: [404, 409] } as const
  return [
    route(
      {
        ...member,
        method: 'GET',
        summary: 'Read a user',
        description: 'Administrators read everyone, others themselves.',
        access: 'signed-in',
        success: { status: 200, body: dataEnvelope(User) },
      },
      async ({ caller, params }) => ok(await users.get(caller, params.id)),
    ),
    route(
      {
        ...member,
        method: 'PUT',
        summary: 'Change a user',
        description:
          'Members that are left out stay. Others than administrators change themselves only, and neither role nor activation. A password change needs the current one for oneself, and ends the user’s sessions.',
        access: 'signed-in',
        body: UserUpdate,
        success: { status: 200, body: messageEnvelope(User) },
      },
      (call) => {
        const { caller, params, body } = call
        const update = recorded(users.update(caller, params.id, body), call, eventOfUserChange(body))
        return edited(update, ({ username }) => `User ${username} changed`)
      },
    ),
    route(
      {
        ...member,
        method: 'DELETE',
        summary: 'Delete a user',
        description: 'The user’s sessions and tokens go too.',
        access: 'admin',
        success: { status: 200, body: messageEnvelope(UserDeleted) },
      },
      (call) => {
        const removal = recorded(users.remove(call.caller, call.params.id), call, { kind: 'user_deleted' })
        return edited(removal, ({ username }) => `User ${username} deleted`)
      },
    ),
  ]
}
