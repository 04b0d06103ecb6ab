import { z } from 'zod'
import { idText, Timestamp, pageQuery } from '../envelope.ts'

/** Permissions of a token: read-only, or everything its owner may do. */
export const TokenPermissions = z
  .enum(['read-only', 'full'])
  .meta({ description: 'read-only allows GET; full allows everything its owner may do, administrators only' })
export type TokenPermissions = z.infer<typeof TokenPermissions>

/** Lifetime of a new token. */
export const TokenExpiry = z.enum(['never', '30d', '90d', '1y'])
export type TokenExpiry = z.infer<typeof TokenExpiry>

/** An address or network a token may be used from. */
export const AddressOrNetwork = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
  error: 'must be an IP address or a network in CIDR form',
})

export const Token = z
  .object({
    id: z.uuid(),
    name: z.string(),
    prefix: z.string().meta({ description: 'The first characters, to tell tokens apart' }),
    permissions: TokenPermissions,
    ip_whitelist: z.array(z.string()),
    created_at: Timestamp,
    expires_at: Timestamp.nullable(),
    last_used_at: Timestamp.nullable(),
    last_used_ip: z.string().nullable(),
  })
  .meta({ id: 'Token' })
export type Token = z.infer<typeof Token>

/** An API token to create. */
export const TokenCreate = z
  .strictObject({
    name: z
      .string()
      .trim()
      .min(1)
      .max(64)
      .regex(/^[^\p{C}\p{Zl}\p{Zp}]*$/u, 'must not contain control characters'),
    permissions: TokenPermissions,
    expires: TokenExpiry.default('1y'),
    ip_whitelist: z.array(AddressOrNetwork).max(64).default([]),
  })
  .meta({ id: 'TokenCreate' })
export type TokenCreate = z.infer<typeof TokenCreate>

/** A new token with its value, which is shown this once. */
export const TokenCreated = Token.extend({ token: z.string() }).meta({ id: 'TokenCreated' })

export const TokenParams = z.object({ id: idText })
export const TokenListQuery = z.strictObject(pageQuery(100))
export const TokenRevoked = z.object({ id: z.uuid(), name: z.string() }).meta({ id: 'TokenRevoked' })
