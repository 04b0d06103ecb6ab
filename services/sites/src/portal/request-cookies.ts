import type { IncomingMessage } from 'node:http'

/** Values of one cookie that count: browsers send one, and each is worth some arithmetic. */
const maxValues = 5

/** Returns the first values of a cookie in a request, in its order. `name` consists of letters, `_` and `-`. */
export function cookiesOf({ headers }: Pick<IncomingMessage, 'headers'>, name: string): string[] {
  const found = (headers.cookie ?? '').matchAll(new RegExp(`(?:^|;)[ \\t]*${name}=([^;]*)`, 'g'))
  return [...found.take(maxValues)].map(([, value = '']) => value.trim())
}

/** A cookie that only the host itself can have set, and only HTTPS carries. */
export function hostCookie(name: string, value: string, maxAgeMs: number): string {
  return `${name}=${value}; Max-Age=${Math.floor(maxAgeMs / 1000)}; Path=/; Secure; HttpOnly; SameSite=Lax`
}
