const address = 'hearth-sentinel.invalid:1'

/** The parts of a configuration that the sentinel needs. */
interface Config {
  readonly apps?: { readonly http?: { readonly servers?: object } }
}

/**
 * The configuration as a dry run: one server more, which claims one address twice. Caddy notices that after every route, policy
 * and module of every server has been built and before anything listens, so the whole is checked and nothing goes live.
 */
export function withSentinel(config: object): object {
  const { apps = {} } = config as Config
  const sentinel = { listen: [address, address], automatic_https: { disable: true } }
  const servers = { ...apps.http?.servers, 'hearth-sentinel': sentinel }
  return { ...config, apps: { ...apps, http: { ...apps.http, servers } } }
}

/** Returns true if Caddy refused a configuration for nothing but the sentinel, so that all the rest of it is good. */
export function isSentinelError(text: string): boolean {
  return text.includes('listener address repeated') && text.includes(address)
}
