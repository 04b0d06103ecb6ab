import type { IncomingMessage } from 'node:http'

/** Returns the values of a cookie in a request, in its order. */
export function cookiesOf({ headers }: Pick<IncomingMessage, 'headers'>, name: string): string[] {
  return (headers.cookie ?? '').split(';').flatMap((part) => {
    const [found = '', ...value] = part.trim().split('=')
    return found === name ? [value.join('=')] : []
  })
}

/** A cookie that only the host itself can have set, and only HTTPS carries. */
export function hostCookie(name: string, value: string, maxAgeMs: number): string {
  return `${name}=${value}; Max-Age=${Math.floor(maxAgeMs / 1000)}; Path=/; Secure; HttpOnly; SameSite=Lax`
}
