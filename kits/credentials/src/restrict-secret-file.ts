import { chmodSync, statSync } from 'node:fs'

/** Treatment of a file with a secret. */
export interface SecretFileCare {
  /** The file is the service's own, so that its mode may be changed. */
  readonly isOwn: boolean
  readonly warn: (message: string) => void
}

/**
 * Makes sure that others cannot read a file with a secret: tightens the mode of the service's own file to 0600, and only warns
 * of a file that the operator provided, whose mode may be intended.
 */
export function restrictSecretFile(file: string, { isOwn, warn }: SecretFileCare): void {
  const mode = statSync(file).mode & 0o777
  if ((mode & 0o077) === 0) return
  const what = `${file} could be read by others (mode ${mode.toString(8).padStart(4, '0')})`
  if (!isOwn) return warn(`${what}; run chmod 600 on it unless that is intended`)
  try {
    chmodSync(file, 0o600)
    warn(`${what}; its mode is 0600 now`)
  } catch (error) {
    warn(`${what}, and its mode cannot be changed: ${(error as Error).message}`)
  }
}
