import type {
  OpenIdConnectionTables,
  PasskeyTables,
  RecoveryCodeTables,
  SecurityLogTables,
  SessionRow,
  TokenTables,
} from '@hearth/accounts'
import type { TokenPermissions } from '../tokens/schema.ts'

/** The tables of the account, its sessions, and how it is signed in to. */
export interface AccountTables
  extends OpenIdConnectionTables, PasskeyTables, RecoveryCodeTables, SecurityLogTables, TokenTables<TokenPermissions> {
  sessions: SessionRow<'username'>
}
