import { Platform } from '../platforms/schema.ts'
import { invalid, notFound, Problem, tooLarge } from '../problems.ts'
import { CookieError } from './cookie-error.ts'
import { decodeCookieFile, readCookieText, requireLogin } from './cookie-text.ts'
import type { CookieJars } from './jars.ts'
import type { CookieSnapshot } from './schema.ts'

/** The jars of all platforms, as the API deals with them. Throws problems: 404 for a platform there is not, 413, 400. */
export interface CookieShelf {
  describeAll(): Promise<CookieSnapshot[]>
  upload(platform: string, bytes: Uint8Array): Promise<CookieSnapshot>
  paste(platform: string, text: string): Promise<CookieSnapshot>
  remove(platform: string): Promise<void>
}

/**
 * Puts the jars behind the words of the API. An uploaded jar is stored as it is, signed in or not; what was pasted comes from
 * somebody who wants to be signed in, so it is refused when it signs nobody in.
 */
export function createCookieShelf(jars: CookieJars): CookieShelf {
  return {
    describeAll: () => jars.describeAll(),
    upload: (name, bytes) =>
      inWords(() => {
        const platform = platformOf(name)
        return jars.save(platform, readCookieText(decodeCookieFile(bytes), platform))
      }),
    paste: (name, text) =>
      inWords(() => {
        const platform = platformOf(name)
        const cookies = readCookieText(text, platform)
        requireLogin(platform, cookies)
        return jars.save(platform, cookies)
      }),
    async remove(name) {
      const platform = platformOf(name)
      if (!(await jars.remove(platform))) throw new Problem(404, `There are no cookies of ${platform}`)
    },
  }
}

function platformOf(name: string): Platform {
  const platform = Platform.safeParse(name)
  if (!platform.success) throw notFound('platform')
  return platform.data
}

async function inWords(work: () => Promise<CookieSnapshot>): Promise<CookieSnapshot> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof CookieError ? problemOf(error) : error
  }
}

/** The message names what is wrong and never contains a value. */
function problemOf({ fault, message }: CookieError): Problem {
  const detail = `${message.charAt(0).toUpperCase()}${message.slice(1)}`
  return fault === 'too-large' ? tooLarge(detail) : invalid(detail, `cookies_${fault.replaceAll('-', '_')}`)
}
