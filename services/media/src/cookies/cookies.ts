import { Platform } from '../platforms/schema.ts'
import { invalid, notFound, Problem, tooLarge } from '../problems.ts'
import { CookieError } from './cookie.ts'
import { decodeCookieFile, readCookieText, requireLogin } from './cookie-text.ts'
import type { CookieJars } from './jars.ts'
import type { CookieSnapshot } from './schema.ts'

/** Stores an uploaded jar as it is, signed in or not. Throws problems: 404 for an unknown platform, 413, 400. */
export function storeCookieFile(jars: CookieJars, name: string, bytes: Uint8Array): Promise<CookieSnapshot> {
  return withProblems(() => {
    const platform = platformOf(name)
    return jars.save(platform, readCookieText(decodeCookieFile(bytes), platform))
  })
}

/** Stores pasted cookies. They are refused when they contain no login. */
export function storePastedCookies(jars: CookieJars, name: string, text: string): Promise<CookieSnapshot> {
  return withProblems(() => {
    const platform = platformOf(name)
    const cookies = readCookieText(text, platform)
    requireLogin(platform, cookies)
    return jars.save(platform, cookies)
  })
}

/** Deletes the cookies of a platform. Throws a problem when there are none. */
export async function removeCookies(jars: CookieJars, name: string): Promise<void> {
  const platform = platformOf(name)
  if (!(await jars.remove(platform))) throw new Problem(404, `There are no cookies of ${platform}`)
}

function platformOf(name: string): Platform {
  const platform = Platform.safeParse(name)
  if (!platform.success) throw notFound('platform')
  return platform.data
}

async function withProblems(work: () => Promise<CookieSnapshot>): Promise<CookieSnapshot> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof CookieError ? problemOf(error) : error
  }
}

/** Returns the problem for cookies that are refused; its message never contains a value. */
function problemOf({ fault, message }: CookieError): Problem {
  const detail = `${message.charAt(0).toUpperCase()}${message.slice(1)}`
  return fault === 'too-large' ? tooLarge(detail) : invalid(detail, `cookies_${fault.replaceAll('-', '_')}`)
}
