import { invalidField } from '../../problems.ts'
import type { OpenIdClientValues } from '../schema.ts'

const loopback: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Checks the settings of an application. Throws a problem that names the member. */
export function checkClientInput(input: OpenIdClientValues, groups: readonly string[]): void {
  for (const member of ['redirect_uris', 'post_logout_redirect_uris'] as const)
    for (const [index, uri] of input[member].entries()) {
      const wrong = whyNoReturnAddress(uri)
      if (wrong !== undefined) throw invalidField(`${member}.${index}`, wrong)
    }
  const { backchannel_logout_uri: logout } = input
  const wrong = logout === null ? undefined : whyNoAddress(logout, ['https:', 'http:'])
  if (wrong !== undefined) throw invalidField('backchannel_logout_uri', wrong)
  if (input.is_public && !input.pkce_required) throw invalidField('pkce_required', 'is needed without a client secret')
  for (const member of ['groups', 'admin_groups'] as const) {
    const missing = input[member]?.find((group) => !groups.includes(group))
    if (missing !== undefined) throw invalidField(member, `name a group that there is not: ${missing}`)
  }
}

function whyNoReturnAddress(text: string): string | undefined {
  const wrong = whyNoAddress(text, ['https:', 'http:'])
  if (wrong !== undefined) return wrong
  const { protocol, hostname } = new URL(text)
  return protocol === 'http:' && !loopback.has(hostname) ? 'must use https; http is for loopback alone' : undefined
}

function whyNoAddress(text: string, protocols: readonly string[]): string | undefined {
  // A browser drops what the comparison would see.
  if (!/^[\x21-\x7e]+$/.test(text) || text.includes('\\')) return 'must not contain spaces or letters beyond ASCII'
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^[a-z]+:\/\//i.test(text))
    return 'must be an address such as https://app.example.org/callback'
  if (!protocols.includes(url.protocol)) return 'must use https'
  if (url.username !== '' || url.password !== '') return 'must not contain a user name'
  if (text.includes('#')) return 'must not contain a fragment'
  if (text.includes('*')) return 'must not contain *: addresses are compared letter by letter'
  return undefined
}
