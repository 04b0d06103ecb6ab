import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findProgram } from '../tools/find-program.ts'
import type { ToolRunner } from '../tools/run-tool.ts'
import { ToolFailure } from '../tools/tool-failure.ts'
import type { SignatureCheck } from './fetch-program.ts'
import { UpdateFailed } from './update-failed.ts'

const limits = { timeoutMs: 20_000, memory: 512 * 1024 ** 2, processes: 8 }

/**
 * Checks signatures with GnuPG against the one key that the operator put into a file, in a home of its own: no other key
 * counts, whatever the machine trusts.
 */
export function createSignatureCheck({ keyFile, runner }: { keyFile: string; runner: ToolRunner }): SignatureCheck {
  const program = findProgram('gpg')
  return {
    isPossible: () => program !== undefined && existsSync(keyFile),
    async verify(content, signature, signal) {
      if (program === undefined) throw new UpdateFailed('gpg, which checks signatures, is not there')
      const home = await mkdtemp(join(tmpdir(), 'hearth-gpg-'))
      const said: string[] = []
      const gpg = (words: readonly string[]) =>
        runner.run({
          program,
          words: ['--homedir', home, '--batch', '--no-options', '--no-autostart', '--status-fd', '1', ...words],
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
      // An exit code of 0 also stands for keys that have run out.
      if (!said.some((line) => line.startsWith('[GNUPG:] GOODSIG ')))
        throw new UpdateFailed('the signature of the release is not good')
    },
  }
}
