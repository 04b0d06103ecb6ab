import createClient, { type Client } from 'openapi-fetch'
import { ApiError, readApiError, unreachable } from './api-error.ts'
import type { SessionStore } from './session-store.ts'

/**
 * A client typed by the service's OpenAPI `paths`. Writes carry the session's CSRF token; an answer that is not a success
 * is thrown as `ApiError`; a 401 ends the session on screen. `send` replaces fetch for services that renew their token.
 */
export function createApiClient<Paths extends object>(
  session: SessionStore,
  send?: (request: Request) => Promise<Response>,
): Client<Paths> {
  const client = createClient<Paths>(send === undefined ? {} : { fetch: send })
  client.use({
    onRequest: ({ request }) => {
      const token = session.csrfToken()
      if (token !== undefined && request.method !== 'GET') request.headers.set('x-csrf-token', token)
      return request
    },
    onResponse: async ({ response }) => {
      if (response.ok) return
      const error = await readApiError(response)
      noteSessionEnd(error, session)
      throw error
    },
    // A `send` of the service's own may have said better what happened.
    onError: ({ error }) => (error instanceof ApiError ? error : unreachable()),
  })
  return client
}

/** The body of a successful answer; failures were thrown by the client before. */
export async function answer<Body>(call: Promise<{ data?: Body }>): Promise<Body> {
  const { data } = await call
  return data as Body
}

/** Tells the session about an answer that says it is gone, or wants a new password. */
export function noteSessionEnd(error: ApiError, session: SessionStore): void {
  if (error.status === 401) session.ended()
  if (error.status === 403 && error.details['reason'] === 'password_change_required') session.passwordChangeRequired()
}
