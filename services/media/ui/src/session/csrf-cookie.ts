/** The cookie whose value every write carries in a header; the server renews it with every page and session answer. */
const name = 'hearth_media_csrf'

/** The token in a cookie text such as `document.cookie`; undefined when it has run out. */
export function csrfTokenIn(cookies: string): string | undefined {
  const found = cookies.split(/;\s*/).find((part) => part.startsWith(`${name}=`))
  const value = found?.slice(name.length + 1)
  return value === undefined || value === '' ? undefined : value
}
