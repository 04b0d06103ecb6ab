/** Tells which site answers for a host. */
export interface HostIndex {
  siteOf(host: string): number | undefined
}

/** Exact names come before wildcards, and a wildcard stands for one label, as the server has it. */
export function createHostIndex(entries: Iterable<readonly [host: string, siteId: number]>): HostIndex {
  const sites = new Map<string, number>(entries)
  return {
    siteOf(host) {
      const dot = host.indexOf('.')
      return sites.get(host) ?? (dot === -1 ? undefined : sites.get(`*${host.slice(dot)}`))
    },
  }
}
