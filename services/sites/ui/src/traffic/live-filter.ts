/** Members of a request that are searched. */
interface Searched {
  readonly host: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly client: string
}

/** Returns true when a request matches every word of a filter: part of its texts, a status, or a class such as `5xx`. */
export function matchesFilter({ host, method, path, status, client }: Searched, filter: string): boolean {
  const text = `${host} ${method} ${path} ${status} ${client}`.toLowerCase()
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => (/^[1-5]xx$/.test(word) ? String(status).startsWith(word.charAt(0)) : text.includes(word)))
}
