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
  checkNewPassword,
  isPasswordOf,
  replacePassword,
  samePassword,
  signIn,
  type PasswordChange,
  type PasswordHolder,
  type SignInAttempt,
} from './passwords.ts'
export {
  backOff,
  createThrottle,
  lockOut,
  slidingWindow,
  type MemoryThrottle,
  type Throttle,
  type ThrottlePolicy,
} from './throttle.ts'
