import type { Confirmation } from './confirmation.ts'
import type { Tokens } from './tokens.ts'

/** Dependencies of `createSend`. */
interface SendDependencies {
  readonly tokens: Pick<Tokens, 'get' | 'renew'>
  /** Left out where nobody is signed in yet. */
  readonly confirmation?: Pick<Confirmation, 'request'>
  readonly send?: (request: Request) => Promise<Response>
}

/**
 * A fetch whose writes carry the token. A token that another window made old is renewed, and a call that needs a confirmation
 * of who is calling waits for it; then the same call is sent once more. Rejects with what `request` does when nobody confirmed.
 */
export function createSend({ tokens, confirmation, send = (request) => fetch(request) }: SendDependencies) {
  const dispatch = async (request: Request, token: () => Promise<string>) => {
    const copy = request.clone()
    if (request.method !== 'GET') copy.headers.set('x-csrf-token', await token())
    return send(copy)
  }
  const withToken = async (request: Request): Promise<Response> => {
    const response = await dispatch(request, () => tokens.get())
    return (await codeOf(response)) === 'csrf' ? dispatch(request, () => tokens.renew()) : response
  }
  return async (request: Request): Promise<Response> => {
    const response = await withToken(request)
    if (confirmation === undefined || (await codeOf(response)) !== 'reauthentication_required') return response
    await confirmation.request()
    return withToken(request)
  }
}

/** Why a call was refused, when the answer says so. */
async function codeOf(response: Response): Promise<string | undefined> {
  if (response.status !== 403) return undefined
  const body = (await response
    .clone()
    .json()
    .catch(() => undefined)) as { code?: string } | undefined
  return body?.code
}
