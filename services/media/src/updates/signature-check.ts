import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findProgram } from '../tools/find-program.ts'
import type { ToolRunner } from '../tools/run-tool.ts'
import { ToolFailure } from '../tools/tool-failure.ts'
import { UpdateFailed } from './release.ts'

const limits = { timeoutMs: 20_000, memory: 512 * 1024 ** 2, processes: 8 }

/** Checks that a list of checksums is signed by the publisher of the releases. */
export type SignatureCheck = ReturnType<typeof createSignatureCheck>

/**
 * Checks signatures with GnuPG against the one key that the operator put into a file, in a temporary home: no other key
 * counts, whatever the machine trusts.
 */
export function createSignatureCheck({ keyFile, runner }: { keyFile: string; runner: ToolRunner }) {
  const program = findProgram('gpg')
  return {
    /** Returns true if a key is pinned and the program for it exists; otherwise only checksums are checked. */
    isPossible: (): boolean => program !== undefined && existsSync(keyFile),
    /** Throws `UpdateFailed` unless the signature is valid. */
    async verify(content: Uint8Array, signature: Uint8Array, signal: AbortSignal): Promise<void> {
      if (program === undefined) throw new UpdateFailed('gpg, which checks signatures, is not there')
      const home = await mkdtemp(join(tmpdir(), 'hearth-gpg-'))
      const said: string[] = []
      const gpg = (args: readonly string[]) =>
        runner.run({
          program,
          args: ['--homedir', home, '--batch', '--no-options', '--no-autostart', '--status-fd', '1', ...args],
          directory: home,
          environment: { HOME: home },
          limits,
          signal,
          onLine: (line) => said.push(line),
        })
      try {
        await Promise.all([
          writeFile(join(home, 'content'), content, { mode: 0o600 }),
          writeFile(join(home, 'signature'), signature, { mode: 0o600 }),
        ])
        await gpg(['--import', keyFile])
        await gpg(['--trust-model', 'always', '--verify', join(home, 'signature'), join(home, 'content')])
      } catch (cause) {
        if (cause instanceof ToolFailure) throw new UpdateFailed('the signature of the release is not good', { cause })
        throw cause
      } finally {
        await rm(home, { recursive: true, force: true })
      }
      // gpg also exits with 0 for expired keys.
      if (!said.some((line) => line.startsWith('[GNUPG:] GOODSIG ')))
        throw new UpdateFailed('the signature of the release is not good')
    },
  }
}
