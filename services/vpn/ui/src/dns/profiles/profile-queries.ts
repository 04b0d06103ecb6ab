import { answer } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { api, keys } from '../../api.ts'

/** Queries to read again after a profile changed. */
export const profileRenewals = [keys.dnsProfiles, keys.explanation]

const renewMs = 15_000

/** All profiles, with what holds now. */
export function useProfiles() {
  return useQuery({
    queryKey: [...keys.dnsProfiles, 'all'],
    queryFn: async () => (await answer(api.GET('/api/dns/profiles', { params: { query: { limit: 100 } } }))).data,
    refetchInterval: renewMs,
  })
}

/** One profile with its devices. */
export function useProfile(id: string) {
  return useQuery({
    queryKey: [...keys.dnsProfiles, 'one', id],
    queryFn: async () => (await answer(api.GET('/api/dns/profiles/{id}', { params: { path: { id } } }))).data,
    staleTime: 0,
    gcTime: 0,
  })
}

/** The profile of a peer. */
export function usePeerProfile(id: string) {
  return useQuery({
    queryKey: [...keys.dnsProfiles, 'peer', id],
    queryFn: async () => (await answer(api.GET('/api/dns/peer-profiles/{id}', { params: { path: { id } } }))).data,
    refetchInterval: renewMs,
  })
}

/** Services that can be switched off. */
export function useServices() {
  return useQuery({
    queryKey: ['dns_services'],
    queryFn: async () => (await answer(api.GET('/api/dns/services'))).data,
    staleTime: Number.POSITIVE_INFINITY,
  })
}
