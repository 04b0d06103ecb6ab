import { tokenSchemas } from '@hearth/accounts/token-schema'
import { z } from 'zod'

/** Permissions of a token, from the least to the most. */
export const TokenPermissions = z.enum(['read', 'edit', 'full']).meta({
  description:
    'read allows GET; edit also creates, changes and applies sites; full allows everything its owner may do but users, tokens, sessions, ways to sign in, and what needs a recent confirmation. edit and full are for administrators only',
})
export type TokenPermissions = z.infer<typeof TokenPermissions>

export const schemas = tokenSchemas(TokenPermissions)
