import { useQuery } from '@tanstack/react-query'
import { keys } from '../api.ts'
import { readSites } from '../sites/read-sites.ts'

/** A site to choose. */
export interface NamedSite {
  readonly id: number
  readonly name: string
}

const all = { limit: 1000 }

/** The names of all sites, for choices; empty until they are read. */
export function useSiteNames(): readonly NamedSite[] {
  const { data } = useQuery({
    queryKey: [...keys.sites, 'names'],
    queryFn: async () => (await readSites(all)).rows.map(({ id, site_name: name }) => ({ id, name })),
  })
  return data ?? []
}
