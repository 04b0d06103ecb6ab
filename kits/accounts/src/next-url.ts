/**
 * Returns where a browser goes after signing in: the path it asked for when that is one of this service, else `/`. Browsers
 * read `//host` and `/\host` as another server.
 */
export function safeNextUrl(wanted: string | undefined): string {
  if (wanted === undefined || !/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(wanted)) return '/'
  const base = 'http://service.invalid'
  if (!URL.canParse(wanted, base)) return '/'
  // As browsers write it: a header has no room for characters beyond ASCII.
  const { origin, pathname, search, hash } = new URL(wanted, base)
  // Dot segments are gone by now: `/..//host` has become `//host`.
  return origin === base && !pathname.startsWith('//') ? `${pathname}${search}${hash}` : '/'
}
