import { z } from 'zod'

/** The setting that switches API tokens on, for the schema of a service whose users need none. */
export const tokenSettings = {
  API_TOKENS: z.enum(['on', 'off'], { error: 'must be on or off' }).default('off'),
}

/** Returns the part of a service's configuration that its `tokenSettings` say. */
export function tokenConfig(settings: { API_TOKENS: 'on' | 'off' }): { hasApiTokens: boolean } {
  return { hasApiTokens: settings.API_TOKENS === 'on' }
}
