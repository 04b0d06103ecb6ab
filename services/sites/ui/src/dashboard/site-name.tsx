import { useSession } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { keys } from '../api.ts'
import { readSite } from '../sites/read-sites.ts'

/** The name of a site as a link to it; its number for who may not read sites, and for one that is gone. */
export function SiteName({ id }: { id: number }) {
  const { isAdmin } = useSession()
  const { data } = useQuery({
    // Not below `sites`: a burst of edits must not read ten sites again for their names.
    queryKey: [...keys.traffic, 'site name', id],
    queryFn: async () => (await readSite(id)).site_name,
    staleTime: Number.POSITIVE_INFINITY,
    enabled: isAdmin,
  })
  if (!isAdmin) return <>Site {id}</>
  return (
    <Link href={`/sites/${id}?tab=traffic`} className="hearth-name">
      {data ?? `Site ${id}`}
    </Link>
  )
}
