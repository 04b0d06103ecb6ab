import { answer } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { api, keys, type Schemas } from '../api.ts'

/** An application that signs people in through the portal. */
export type Application = Schemas['OpenIdClient']
/** The applications, and what the page needs beside them. */
export type ApplicationList = Schemas['OpenIdClientList']
/** A kind of application whose settings are known. */
export type Preset = Schemas['OpenIdPreset']

/** Reads the applications. */
export const useApplications = () =>
  useQuery({ queryKey: keys.applications, queryFn: () => answer(api.GET('/api/v1/openid/clients')) })

/** Reads the keys that sign ID tokens. */
export const useSigningKeys = () =>
  useQuery({ queryKey: keys.signingKeys, queryFn: () => answer(api.GET('/api/v1/openid/keys')) })
