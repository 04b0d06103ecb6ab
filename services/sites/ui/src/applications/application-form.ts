import type { Application, Preset } from './read-applications.ts'

/** Values of the form of an application. Lists are texts with one address per line. */
export interface ApplicationValues extends Record<string, unknown> {
  preset: string
  name: string
  /** Address of the application, of which the others follow. */
  address: string
  redirect_uris: string
  post_logout_redirect_uris: string
  backchannel_logout_uri: string
  groups: string[]
  consent: 'given' | 'asked'
  pkce_required: boolean
  is_public: boolean
  claims_in_id_token: boolean
}

const lines = (texts: readonly string[]): string => texts.join('\n')
const listOf = (text: string): string[] => text.split(/\s+/).filter((part) => part !== '')

/** Values for an application, or for a new one of a kind. */
export function valuesOf(application: Application | undefined, preset: Preset | undefined): ApplicationValues {
  if (application === undefined) return { ...blank, ...(preset && valuesOfPreset(preset, '')), groups: [] }
  const { preset: kind, name, groups, consent, pkce_required, is_public, claims_in_id_token } = application
  return {
    preset: kind,
    name,
    address: originOf(application.redirect_uris[0] ?? ''),
    redirect_uris: lines(application.redirect_uris),
    post_logout_redirect_uris: lines(application.post_logout_redirect_uris),
    backchannel_logout_uri: application.backchannel_logout_uri ?? '',
    groups,
    consent,
    pkce_required,
    is_public,
    claims_in_id_token,
  }
}

const blank: ApplicationValues = {
  preset: 'other',
  name: '',
  address: '',
  redirect_uris: '',
  post_logout_redirect_uris: '',
  backchannel_logout_uri: '',
  groups: [],
  consent: 'given',
  pkce_required: true,
  is_public: false,
  claims_in_id_token: false,
}

/** The values that follow from a kind and the address of the application. */
export function valuesOfPreset(preset: Preset, address: string) {
  const base = address.trim().replace(/\/+$/, '')
  const below = (paths: readonly string[]) => (base === '' ? '' : lines(paths.map((path) => `${base}${path}`)))
  return {
    preset: preset.id,
    redirect_uris: below(preset.redirect_paths),
    post_logout_redirect_uris: below(preset.post_logout_paths),
    backchannel_logout_uri: preset.backchannel_path === null ? '' : below([preset.backchannel_path]),
    pkce_required: preset.pkce_required,
    claims_in_id_token: preset.claims_in_id_token,
  }
}

/** The body that the API takes. */
export function bodyOf({ address: _address, ...values }: ApplicationValues) {
  const logout = values.backchannel_logout_uri.trim()
  return {
    ...values,
    redirect_uris: listOf(values.redirect_uris),
    post_logout_redirect_uris: listOf(values.post_logout_redirect_uris),
    backchannel_logout_uri: logout === '' ? null : logout,
  }
}

/** The address of the site of a page. */
export function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : ''
}

/** The lines to type into an application, with its values in place. */
export function linesFor(
  { lines: text }: Preset,
  values: {
    readonly issuer: string
    readonly client_id: string
    readonly client_secret: string
    readonly address: string
  },
): string {
  return text.replaceAll(
    /\{(issuer|client_id|client_secret|address)\}/g,
    (_, name: string) => values[name as keyof typeof values],
  )
}
