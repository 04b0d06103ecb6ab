import { useCheapPasswords } from '@hearth/credentials'
import { temporaryDirectory } from './temporary-directory.ts'
import type { Reply, Sending } from './send-request.ts'

/** A service in the process of its test, with its data directory. */
export interface InProcess<T> extends AsyncDisposable {
  readonly folder: string
  /** The service as its last start opened it. */
  readonly current: T
  /** Closes the service; the data stays until the end. */
  stop(): Promise<void>
  /** Closes the service and opens it again on the same data. */
  restart(environment?: Readonly<Record<string, string>>): Promise<void>
}

/**
 * Opens a service with `open` on its own data directory, which goes at the end, or on a given one, which stays. Its passwords
 * are cheap to hash.
 */
export async function openInProcess<T extends { close(): Promise<void> }>(
  open: (folder: string, environment: Readonly<Record<string, string>>) => Promise<T>,
  given?: string,
): Promise<InProcess<T>> {
  useCheapPasswords()
  await using cleanup = new AsyncDisposableStack()
  const folder = given ?? cleanup.use(await temporaryDirectory()).path
  let current = await open(folder, {})
  let isOpen = true
  const stop = async () => {
    if (!isOpen) return
    isOpen = false
    await current.close()
  }
  cleanup.defer(stop)
  const resources = cleanup.move()
  return {
    folder,
    get current() {
      return current
    },
    stop,
    async restart(environment = {}) {
      await stop()
      current = await open(folder, environment)
      isOpen = true
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** A signed-in session whose requests carry its cookie and its CSRF token. */
export interface SignedIn {
  readonly cookie: string
  readonly csrf: string
  send(method: string, path: string, sending?: Sending): Promise<Reply>
}

/** Signs in at `path` and returns the session; throws when the service refuses. */
export async function openSession(
  send: SignedIn['send'],
  path: string,
  { from = '127.0.0.1', ...credentials }: { username: string; password: string; from?: string | undefined },
): Promise<SignedIn> {
  const reply = await send('POST', path, { body: credentials, from })
  if (reply.status !== 200) throw new Error(`sign-in failed: ${reply.text}`)
  const cookie = String(reply.headers['set-cookie']).split(';')[0] ?? ''
  const { csrf_token: csrf } = reply.body.data ?? reply.body
  return {
    cookie,
    csrf,
    send: (method, target, sending = {}) =>
      send(method, target, { from, ...sending, headers: { cookie, 'x-csrf-token': csrf, ...sending.headers } }),
  }
}
