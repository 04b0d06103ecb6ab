import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { dataEnvelope, messageEnvelope, ok, page, pageEnvelope } from '../envelope.ts'
import { createEditAnswer, type Publish } from '../service-event.ts'
import { User, UserCreate, UserDeleted, UserListQuery, UserParams, UserUpdate } from './schema.ts'
import type { Users } from './users.ts'

/** Accounts: administrators manage them, everyone reads and changes their own. */
export function userRoutes(users: Users, publish: Publish): Route[] {
  const shared = { tag: 'Users', path: '/api/users', limit: 'counted' } as const
  const member = { ...shared, path: '/api/users/{id}', params: UserParams, errors: [404, 409] } as const
  const edited = createEditAnswer(publish, 'users')
  return [
    route(
      {
        ...shared,
        method: 'GET',
        summary: 'List users',
        access: 'admin',
        query: UserListQuery,
        success: { status: 200, body: pageEnvelope(User) },
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
      ({ body }) => edited(users.create(body), ({ username }) => `User ${username} created`),
    ),
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
      ({ caller, params, body }) =>
        edited(users.update(caller, params.id, body), ({ username }) => `User ${username} changed`),
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
      ({ caller, params }) => edited(users.remove(caller, params.id), ({ username }) => `User ${username} deleted`),
    ),
  ]
}
