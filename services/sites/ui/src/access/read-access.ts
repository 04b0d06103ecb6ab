import { answer } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { api, keys, type Schemas } from '../api.ts'
import { readSites } from '../sites/read-sites.ts'

/** A group of users. */
export type AccessGroup = Schemas['AccessGroup']
/** A visitor who is signed in to protected sites. */
export type PortalSession = Schemas['PortalSession']
/** A token for a site. */
export type SiteToken = Schemas['SiteToken']

/** Reads the groups. */
export const useGroups = () =>
  useQuery({ queryKey: keys.groups, queryFn: () => answer(api.GET('/api/v1/portal/groups')) })

/** Reads the users. */
export const useUsers = () => useQuery({ queryKey: keys.users, queryFn: () => answer(api.GET('/api/users')) })

/** Reads who is signed in to protected sites. */
export const usePortalSessions = () =>
  useQuery({
    queryKey: keys.portalSessions,
    queryFn: () => answer(api.GET('/api/v1/portal/sessions')),
    refetchInterval: 30_000,
  })

/** Reads the tokens for sites. */
export const useSiteTokens = () =>
  useQuery({ queryKey: keys.siteTokens, queryFn: () => answer(api.GET('/api/v1/portal/tokens')) })

/** Reads the sites that visitors sign in to. */
export const useProtectedSites = () =>
  useQuery({
    queryKey: [...keys.sites, 'protected'],
    queryFn: async () => (await readSites({ limit: 1000 })).rows.filter((site) => site.sign_in !== null),
  })
