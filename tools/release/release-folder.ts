import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../cli/services.ts'

/** Time of the commit, seconds since 1970; `SOURCE_DATE_EPOCH` where there is no repository. */
export function commitTime(): number {
  const { stdout, status } = spawnSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' })
  const seconds = Number(process.env['SOURCE_DATE_EPOCH'] ?? (status === 0 ? stdout : Number.NaN))
  if (!Number.isInteger(seconds)) throw new Error('there is no commit here: set SOURCE_DATE_EPOCH')
  return seconds
}

/** Writes `SHA256SUMS` of every file of a release. Packages and images of other versions, which may still lie there, are none of it. */
export function writeSums(release: string, version: string): void {
  const isOfOther = (file: string) => file.startsWith('hearth') && !file.includes(`_${version}_`)
  const files = globSync('*', { cwd: release }).filter((file) => file !== 'SHA256SUMS' && !isOfOther(file))
  const sums = files.sort().map((file) => `${sha256(join(release, file))}  ${file}\n`)
  writeFileSync(join(release, 'SHA256SUMS'), sums.join(''))
}

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}
