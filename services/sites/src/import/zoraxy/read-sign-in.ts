import { isObject } from '../config/json-location.ts'
import type { Definition } from './zoraxy-files.ts'

/** What a rule asks of visitors before it answers. */
export interface SignInReading {
  readonly forwardAuth?: { readonly url: string; readonly uri: string; readonly copy_headers: string[] }
  /** Why the site would let in whom the rule does not. */
  readonly unsafe: readonly string[]
  readonly lost: readonly string[]
}

/** Zoraxy's numbers for ways of signing in. */
const [basic, forward, oauth2, own] = [1, 2, 3, 4]

/** Options of forward authentication that sites do not have. */
const extras = [
  'ForwardAuthResponseClientHeaders',
  'ForwardAuthRequestHeaders',
  'ForwardAuthRequestExcludedCookies',
] as const

/** Reads the authentication of a rule. Its hashes of passwords are of a kind that Caddy does not know. */
export function readSignIn(rule: Definition): SignInReading {
  const given = isObject(rule['AuthenticationProvider']) ? rule['AuthenticationProvider'] : {}
  // Until version 3.1.4 both stood in the rule itself.
  if (rule['RequireBasicAuth'] === true)
    return { unsafe: [`the passwords of ${usersOf(rule)}, whose hashes cannot be taken over`], lost: [] }
  if (rule['UseSSOIntercept'] === true) return { unsafe: ["Zoraxy's own sign-in"], lost: [] }
  switch (given['AuthMethod'] ?? 0) {
    case 0:
      return { unsafe: [], lost: [] }
    case basic:
      return { unsafe: [`the passwords of ${usersOf(given)}, whose hashes cannot be taken over`], lost: [] }
    case forward:
      return readForward(given)
    case oauth2:
      return { unsafe: ['a sign-in by OAuth 2'], lost: [] }
    case own:
      return { unsafe: ["Zoraxy's own sign-in; the site can ask for a sign-in at the portal instead"], lost: [] }
    default:
      return { unsafe: ['a way of signing in that is not known here'], lost: [] }
  }
}

function readForward(given: Definition): SignInReading {
  const address = given['ForwardAuthURL']
  const url = typeof address === 'string' && URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined) return { unsafe: ['a forward authentication without an address'], lost: [] }
  const copied = given['ForwardAuthResponseHeaders']
  const lost = extras.filter((name) => Array.isArray(given[name]) && given[name].length > 0)
  return {
    forwardAuth: {
      url: `${url.protocol}//${url.host}`,
      uri: `${url.pathname}${url.search}`,
      copy_headers: Array.isArray(copied) ? copied.filter((name) => typeof name === 'string') : [],
    },
    unsafe: [],
    lost: lost.length > 0 ? [`of the forward authentication: ${lost.join(', ')}`] : [],
  }
}

function usersOf(given: Definition): string {
  const users = Array.isArray(given['BasicAuthCredentials']) ? given['BasicAuthCredentials'] : []
  const names = users.flatMap((user) =>
    isObject(user) && typeof user['Username'] === 'string' ? [user['Username']] : [],
  )
  return names.length === 0 ? 'its users' : names.join(', ').slice(0, 200)
}
