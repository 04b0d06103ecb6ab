/**
 * Returns where a browser goes after signing in: the path it asked for when that is one of this service, else `/`. Browsers
 * read `//host` and `/\host` as another server.
 */
export function safeNextUrl(wanted: string | undefined): string {
  if (wanted === undefined || !/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(wanted)) return '/'
  const base = 'http://service.invalid'
  return URL.canParse(wanted, base) && new URL(wanted, base).origin === base ? wanted : '/'
}
