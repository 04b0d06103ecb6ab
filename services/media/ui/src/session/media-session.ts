import { ApiError, readApiError, unreachable, type ServerSession, type SessionApi, type SignInForm } from '@hearth/ui'
import type { components } from '../api.gen.ts'
import { createTokenSend, csrfTokenIn } from './send-with-token.ts'
import { fieldsIn, isFresh, waitBefore, type SignInFields } from './sign-in-fields.ts'

type SessionState = components['schemas']['SessionState']

/**
 * The sessions of this service: one optional account, and a sign-in page whose hidden fields are good for one attempt. While
 * sign-in is off everybody is signed in.
 */
export function createMediaSession(): SessionApi {
  const send = createTokenSend()
  // The page itself was the sign-in page when the server sent us there; its fields count from the page's beginning.
  let fields = fieldsIn(document, 0)
  return {
    read,
    signIn: async (form) => {
      const present = fields !== undefined && isFresh(fields, performance.now()) ? fields : await fetchFields()
      fields = undefined
      await pause(waitBefore(present, performance.now()))
      await answered(send(attempt(form, present)))
      return read()
    },
    signOut: async () => {
      await answered(send(new Request('/logout', { method: 'POST' })))
    },
  }
}

async function read(): Promise<ServerSession> {
  const response = await answered(fetch('/api/session'))
  const { authentication, username } = (await response.json()) as SessionState
  if (authentication && username === null) throw new ApiError('Sign in first', { status: 401 })
  return {
    user: { id: username ?? 'local', username: username ?? 'Everybody', role: 'admin' },
    csrf_token: csrfTokenIn(document.cookie) ?? '',
    password_change_required: false,
    is_open: !authentication,
  }
}

async function fetchFields(): Promise<SignInFields> {
  const response = await answered(fetch('/login', { headers: { accept: 'text/html' } }))
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  const now = performance.now()
  // Without fields sign-in was switched off meanwhile, and any attempt is let in.
  return fieldsIn(page, now) ?? { captchaToken: '', madeAt: now }
}

function attempt({ username, password, website = '' }: SignInForm, { captchaToken }: SignInFields): Request {
  return new Request('/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password, captcha_token: captchaToken, honeypot: website }),
  })
}

/** Awaits an answer. Throws an `ApiError` unless it is a success, or of the status `also`. */
export async function answered(call: Promise<Response>, also?: number): Promise<Response> {
  const response = await call.catch(() => {
    throw unreachable()
  })
  if (!response.ok && response.status !== also) throw await readApiError(response)
  return response
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
