import { tokenSchemas } from '@hearth/accounts/token-schema'
import { z } from 'zod'

/** Permissions of a token, from the least to the most. */
export const TokenPermissions = z.enum(['read', 'submit', 'full']).meta({
  description:
    'read allows GET; submit also submits, cancels and retries jobs, and makes trims, stems and share links; full allows everything but the account, tokens, sessions, notifications, and keys and cookies of other services',
})
export type TokenPermissions = z.infer<typeof TokenPermissions>

export const schemas = tokenSchemas(TokenPermissions)
