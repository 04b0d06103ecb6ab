import { answer } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { api, keys } from '../api.ts'

const usual = { http: 80, https: 443 }

/** Where the first server listens, for links to sites; the usual ports until that is known. */
export function usePorts(): { http: number; https: number } {
  const { data } = useQuery({ queryKey: keys.nodes, queryFn: () => answer(api.GET('/api/nodes')) })
  const first = data?.[0]
  return first === undefined ? usual : { http: first.http_port, https: first.https_port }
}
