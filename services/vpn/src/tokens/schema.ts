import { TokenExpiry, TokenRevoked, tokenSchemas } from '@hearth/accounts/token-schema'
import { z } from 'zod'
import { idText, pageQuery } from '../envelope.ts'

/** Permissions of a token: read-only, or everything its owner may do. */
export const TokenPermissions = z
  .enum(['read-only', 'full'])
  .meta({ description: 'read-only allows GET; full allows everything its owner may do, administrators only' })
export type TokenPermissions = z.infer<typeof TokenPermissions>

export { TokenExpiry, TokenRevoked }

export const { Token, TokenCreate, TokenCreated } = tokenSchemas(TokenPermissions)
export type Token = z.infer<typeof Token>
/** An API token to create. */
export type TokenCreate = z.infer<typeof TokenCreate>

export const TokenParams = z.object({ id: idText })
export const TokenListQuery = z.strictObject(pageQuery(100))
