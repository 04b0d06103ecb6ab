export { csrfTokenOf, isCsrfToken } from './csrf.ts'
export { createFileCipher, type FileCipher } from './encrypted-file.ts'
export { hashPassword, keyOfPassphrase, useCheapPasswords, verifyPassword } from './password.ts'
export { passwordWeakness } from './password-rules.ts'
export { restrictSecretFile, type SecretFileCare } from './restrict-secret-file.ts'
export { isSameSecret } from './same-secret.ts'
export { createSealer, type Sealer } from './seal.ts'
export {
  checkSecretKey,
  finishReplacement,
  loadSecretKey,
  replaceSecretKey,
  secretKeyText,
  type SecretKeySource,
} from './secret-key.ts'
export { createPassword, createSessionKey, createToken, hashToken, isToken } from './token.ts'
