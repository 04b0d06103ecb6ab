import type { CompiledSite } from './desired-state.ts'

/** The handler that asks for name and password; undefined when the site has no users or their hashes are not there. */
export function basicAuthHandler({ record, passwordHashes = {} }: CompiledSite): object | undefined {
  const accounts = record.basic_auth.flatMap(({ username }) => {
    // A user may be called like a member every object has.
    const password = Object.hasOwn(passwordHashes, username) ? passwordHashes[username] : undefined
    return password === undefined || /[{}]/.test(username) ? [] : [{ username, password }]
  })
  if (accounts.length === 0) return undefined
  return {
    handler: 'authentication',
    providers: { http_basic: { accounts, hash: { algorithm: 'bcrypt' }, hash_cache: {} } },
  }
}
