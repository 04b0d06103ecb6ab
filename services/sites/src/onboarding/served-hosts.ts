/** Every host name that routes of a configuration match, sorted. Takes any JSON. */
export function servedHosts(config: unknown): string[] {
  const found = new Set<string>()
  const queue: unknown[] = [(config as { apps?: { http?: unknown } } | null | undefined)?.apps?.http]
  while (queue.length > 0) {
    const value = queue.pop()
    if (value === null || typeof value !== 'object') continue
    const { host } = value as { host?: unknown }
    if (Array.isArray(host)) for (const name of host) if (typeof name === 'string') found.add(name)
    for (const member of Object.values(value) as unknown[]) queue.push(member)
  }
  return [...found].sort()
}
