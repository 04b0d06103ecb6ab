import { z } from 'zod'

/** Role of an access token; `read` may not change anything. */
export const TokenRole = z.enum(['read', 'read_write'])

/** Lifetime of a new access token; `1y` is 365 days. */
export const TokenExpiry = z.enum(['never', '30d', '90d', '1y'])

const name = z.string().trim().min(1).max(64)

export const TokenCreate = z
  .strictObject({ name, role: TokenRole, expires: TokenExpiry.default('90d') })
  .meta({ id: 'TokenCreate' })
export type TokenCreate = z.output<typeof TokenCreate>

/** An access token without its value. */
export const Token = z
  .object({
    id: z.uuid(),
    name: z.string(),
    role: TokenRole,
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime().nullable(),
    expired: z.boolean(),
    last_used_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Token' })
export type Token = z.infer<typeof Token>

/** A new access token with its value, which no other response contains. */
export const NewToken = Token.extend({
  token: z.string().meta({ description: 'Shown this once; only a hash of it is kept' }),
}).meta({ id: 'NewToken' })
export type NewToken = z.infer<typeof NewToken>
