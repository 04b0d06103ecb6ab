import { z } from 'zod'

/** Lifetime of a new token. */
export const TokenExpiry = z.enum(['never', '30d', '90d', '1y'])

const Timestamp = z.iso.datetime()

/** An address or network a token may be used from. */
const AddressOrNetwork = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
  error: 'must be an IP address or a network in CIDR form',
})

/** The schemas of tokens with these permissions. */
export type TokenSchemas<Permissions extends string> = ReturnType<typeof tokenSchemas<z.ZodType<Permissions>>>

/** Creates the schemas of a service's tokens: one, the list, one to create, and one that was created, with its value. */
export function tokenSchemas<Permissions extends z.ZodType<string>>(permissions: Permissions) {
  const Token = z
    .object({
      id: z.uuid(),
      name: z.string(),
      prefix: z.string().meta({ description: 'The first characters, to tell tokens apart' }),
      permissions,
      ip_whitelist: z.array(z.string()),
      created_at: Timestamp,
      expires_at: Timestamp.nullable(),
      last_used_at: Timestamp.nullable(),
      last_used_ip: z.string().nullable(),
    })
    .meta({ id: 'Token' })
  const TokenCreate = z
    .strictObject({
      name: z
        .string()
        .trim()
        .min(1)
        .max(64)
        .regex(/^[^\p{C}\p{Zl}\p{Zp}]*$/u, 'must not contain control characters'),
      permissions,
      expires: TokenExpiry.default('1y'),
      ip_whitelist: z.array(AddressOrNetwork).max(64).default([]),
    })
    .meta({ id: 'TokenCreate' })
  return {
    Token,
    TokenList: z.object({ tokens: z.array(Token) }).meta({ id: 'TokenList' }),
    TokenCreate,
    TokenCreated: Token.extend({ token: z.string() }).meta({ id: 'TokenCreated' }),
  }
}

/** Answer to the end of a token. */
export const TokenRevoked = z.object({ id: z.uuid(), name: z.string() }).meta({ id: 'TokenRevoked' })
