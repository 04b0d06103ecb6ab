import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../cli/services.ts'
import type { LockedPackage } from './locked-packages.ts'

/** The text of Debian's `copyright` file: Hearth's licence, then that of every package that is part of the build. */
export function licenceNotices(packages: readonly LockedPackage[]): string {
  const own = readFileSync(join(root, 'LICENSE'), 'utf8')
  const others = packages
    .filter(({ isWorkspace }) => !isWorkspace)
    .map((shipped) => `${shipped.name} ${shipped.version} (${shipped.license})\n\n${licenceText(shipped)}`)
  return [`Hearth\n\n${own}`, ...others].map((text) => `${text.trimEnd()}\n`).join(`\n${'-'.repeat(79)}\n\n`)
}

function licenceText({ path, license }: LockedPackage): string {
  const folder = join(root, path)
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())
  const names = files.map(({ name }) => name).filter((name) => /^(licen[cs]e|copying|notice)(?!.*\.js$)/i.test(name))
  const texts = names.sort().map((name) => readFileSync(join(folder, name), 'utf8').trim())
  return texts.length > 0 ? texts.join('\n\n') : `The package contains no licence text; its licence is ${license}.`
}
