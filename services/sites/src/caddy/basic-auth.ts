import type { CompiledSite } from './desired-state.ts'

/** The handler that asks for name and password; undefined when the site has no users or their hashes are not there. */
export function basicAuthHandler({ record, passwordHashes = {} }: CompiledSite): object | undefined {
  const accounts = record.basic_auth.flatMap(({ username }) => {
    const password = passwordHashes[username]
    return password === undefined || /[{}]/.test(username) ? [] : [{ username, password }]
  })
  if (accounts.length === 0) return undefined
  return {
    handler: 'authentication',
    providers: { http_basic: { accounts, hash: { algorithm: 'bcrypt' }, hash_cache: {} } },
  }
}
