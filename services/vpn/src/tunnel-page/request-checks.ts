import { type PageRequest, Refused } from './page-request.ts'

/**
 * Returns the host that a request names. Throws `Refused` unless it is one of the page's: a page of another name that leads here
 * (DNS rebinding) has that name in its requests.
 */
export function checkHost({ hosts: given }: PageRequest, hosts: readonly string[], port: number): string {
  const [host = ''] = given
  const known = hosts.flatMap((name) => [`${name}:${port}`, ...(port === 80 ? [name] : [])])
  if (given.length !== 1 || !known.includes(host.toLowerCase()))
    throw new Refused(421, 'This address does not lead to this page.')
  return host.toLowerCase()
}

/** Throws `Refused` unless a form was sent by this page itself. */
export function checkOrigin({ origin, site }: PageRequest, host: string): void {
  if (origin.toLowerCase() !== `http://${host}` || site !== 'same-origin')
    throw new Refused(403, 'Only this page itself can send this.')
}

/** Reads a form. Throws `Refused` for anything else. */
export async function readForm({ contentType, body }: PageRequest): Promise<URLSearchParams> {
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType))
    throw new Refused(415, 'Only forms can be sent here.')
  return new URLSearchParams(await body())
}
