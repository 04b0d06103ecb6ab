import type { OpenIdConnectionTables, PasskeyTables, RecoveryCodeTables, SecurityLogTables } from '@hearth/accounts'

/** The tables of the administrator's account. */
export interface AccountTables extends OpenIdConnectionTables, PasskeyTables, RecoveryCodeTables, SecurityLogTables {
  administrators: AdministratorRow
}

/** The one administrator account; no route adds another. */
export interface AdministratorRow {
  username: string
  /** PHC string. */
  password_hash: string
  password_change_required: number
  /** The administrator's name towards authenticators: random, reveals nothing. */
  user_handle: string
}
