export type { AnyQuery } from './any-query.ts'
export { AccountError, type AccountErrorReason } from './account-error.ts'
export {
  createAttempts,
  createLastingThrottle,
  forgetAttempts,
  type Attempts,
  type AttemptWindow,
} from './attempts/attempts.ts'
export type { AttemptRow, AttemptTables } from './attempts/store.ts'
export {
  createWithInitialPassword,
  forgetInitialPassword,
  generatePassword,
  initialPasswordFile,
  pendingInitialPassword,
} from './initial-password.ts'
export { safeNextUrl } from './next-url.ts'
export { isSecureOrLocal } from './openid/connection/portal-address.ts'
export { createOpenIdConnectionTable, type OpenIdConnectionTables } from './openid/connection/tables.ts'
export { openIdConfig, openIdSettings, readClientSecret, type OpenIdConfig } from './openid/settings.ts'
export { listOpenIdUserIds } from './openid/store.ts'
export { createOpenIdTable, type OpenIdTables } from './openid/tables.ts'
export { PasskeyError, type PasskeyErrorReason } from './passkeys/passkey-error.ts'
export { passkeyConfig, passkeySettings } from './passkeys/settings.ts'
export { readRelyingParty, warnOfForeignPasskeys, type RelyingParty } from './passkeys/relying-party.ts'
export { countPasskeysOf, countUsablePasskeys, deletePasskeysOf } from './passkeys/store.ts'
export { createPasskeyTables, type PasskeyRow, type PasskeyTables } from './passkeys/tables.ts'
export {
  checkNewPassword,
  isPasswordOf,
  replacePassword,
  samePassword,
  signIn,
  type Guesses,
  type PasswordChange,
  type PasswordHolder,
  type SignInAttempt,
} from './passwords.ts'
export {
  createRecoveryCodes,
  deleteRecoveryCodesOf,
  type RecoveryCodePolicy,
  type RecoveryCodes,
} from './recovery-codes/recovery-codes.ts'
export { createRecoveryCodeTable, type RecoveryCodeTables } from './recovery-codes/store.ts'
export {
  endSessionsOf,
  endSessionsWith,
  SessionStore,
  type OpenedSession,
  type Session,
  type SessionOrigin,
  type SessionPolicy,
} from './sessions/sessions.ts'
export type { SessionRow } from './sessions/store.ts'
export { addSessionOrigin } from './sessions/tables.ts'
export {
  backOff,
  createThrottle,
  lockOut,
  slidingWindow,
  type MemoryThrottle,
  type Throttle,
  type ThrottlePolicy,
} from './throttle.ts'
export {
  BoundTokens,
  type BoundToken,
  type BoundTokenDependencies,
  type FoundToken,
  type NewBoundToken,
} from './tokens/bound-tokens.ts'
export { checkTokenPermissions, readBearer } from './tokens/check-token.ts'
export { tokenScheme, tokenTag, withoutTokenRoutes } from './tokens/describe.ts'
export { tokenConfig, tokenSettings } from './tokens/settings.ts'
export { deleteTokensOf, type Token, type TokenRow } from './tokens/store.ts'
export { createTokenTable, type BoundTokenColumns, type TokenTables } from './tokens/tables.ts'
export { tokenCreated, tokenRevoked } from './tokens/token-events.ts'
export { createTokenGate, type TokenGateDependencies } from './tokens/token-gate.ts'
export {
  isExpired,
  TokenStore,
  tokenUseResolution,
  type NewToken,
  type TokenExpiry,
  type TokenPolicy,
} from './tokens/tokens.ts'
export { changeSignInMethods, changeUsers, checkLastAdministrator } from './users/change-users.ts'
export { UserStore, type UserRow } from './users/store.ts'
export {
  eventOfUserChange,
  type Actor,
  type NewSecurityEvent,
  type RequestOrigin,
  type SignInFailure,
  type SignInMethod,
} from './security-log/security-event.ts'
export { securityLogConfig, securityLogSettings, type SecurityLogRetention } from './security-log/settings.ts'
export { createSecurityLogTable, type SecurityLogTables } from './security-log/tables.ts'
export { openSetUpToken, setUpTokenFile, type SetUpToken } from './set-up-token.ts'
