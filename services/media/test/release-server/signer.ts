import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A key of GnuPG made for this test. */
export interface Signer extends Disposable {
  /** The public key, armoured. */
  readonly publicKey: string
  /** A detached signature. */
  sign(content: Buffer): Buffer
}

export function createSigner(): Signer {
  const home = mkdtempSync(join(tmpdir(), 'hearth-sign-'))
  const gpg = (...words: string[]) =>
    execFileSync('gpg', ['--homedir', home, '--batch', '--quiet', '--no-options', ...words], { stdio: 'pipe' })
  gpg('--passphrase', '', '--quick-gen-key', 'Releases <releases@example.org>', 'ed25519', 'sign', 'never')
  return {
    publicKey: String(gpg('--armor', '--export')),
    sign(content) {
      const file = join(home, 'content')
      writeFileSync(file, content)
      return gpg('--detach-sign', '--output', '-', file)
    },
    [Symbol.dispose]() {
      // The agent it started for this home ends with it.
      execFileSync('gpgconf', ['--homedir', home, '--kill', 'gpg-agent'])
      rmSync(home, { recursive: true, force: true })
    },
  }
}
