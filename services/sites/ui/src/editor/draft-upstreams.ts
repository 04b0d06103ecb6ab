import type { Draft } from './draft.ts'

/** Addresses that are checked in one request, at most. */
const max = 64

/** The addresses that a draft sends requests to, each once. */
export function upstreamsOf({ kind, upstreams, paths }: Pick<Draft, 'kind' | 'upstreams' | 'paths'>): string[] {
  const proxies = [...(kind === 'proxy' ? [{ upstreams }] : []), ...paths.filter((path) => path.kind === 'proxy')]
  const urls = proxies.flatMap((proxy) => proxy.upstreams.map(({ url }) => url.trim()))
  return [...new Set(urls)].filter((url) => /^(https?|h2c):\/\/[^/]|^unix\/\//i.test(url)).slice(0, max)
}
