import type { OpenIdClientValues, OpenIdPreset } from '../schema.ts'

/** Members of an application that follow from its kind and its address. */
export type PresetValues = Pick<
  OpenIdClientValues,
  | 'preset'
  | 'redirect_uris'
  | 'post_logout_redirect_uris'
  | 'backchannel_logout_uri'
  | 'pkce_required'
  | 'claims_in_id_token'
>

/** Returns the settings that follow from the kind of an application and from its address, such as `https://photos.example.org`. */
export function presetValues(preset: OpenIdPreset, address: string): PresetValues {
  const base = address.trim().replace(/\/+$/, '')
  const { backchannel_path: backchannel } = preset
  return {
    preset: preset.id,
    redirect_uris: preset.redirect_paths.map((path) => `${base}${path}`),
    post_logout_redirect_uris: preset.post_logout_paths.map((path) => `${base}${path}`),
    backchannel_logout_uri: backchannel === null ? null : `${base}${backchannel}`,
    pkce_required: preset.pkce_required,
    claims_in_id_token: preset.claims_in_id_token,
  }
}

/** Returns the lines to type into an application, with its values in place. */
export function presetLines({ lines }: OpenIdPreset, values: Readonly<Record<string, string>>): string {
  return lines.replaceAll(/\{(issuer|client_id|client_secret|address)\}/g, (_, name: string) => values[name] ?? '')
}
