import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServiceFolder } from '../../cli/services.ts'

/** Settings that the unit gives by itself. */
const fixed = new Set(['DATA_DIR', 'BUILD_COMMIT', 'BUILD_DATE'])

/** The text of `/etc/hearth/<service>.env`: every setting of the service's README with its meaning, commented out. */
export function settingsFile({ name, folder, title }: ServiceFolder): string {
  const readme = readFileSync(join(folder, 'README.md'), 'utf8')
  const [, table = ''] =
    /\n\| Variable \| Default \| Meaning \|\n\| --- \| --- \| --- \|\n((?:\|.*\n)+)/.exec(readme) ?? []
  if (table === '') throw new Error(`the README of ${name} has no table of settings`)
  const rows = table.trimEnd().split('\n').map(settingText)
  const use = `# Settings of Hearth ${title}. Take the # away from those you set, then: systemctl restart hearth-${name}\n`
  return [use, ...rows.filter((text) => text !== '')].join('\n')
}

function settingText(row: string): string {
  const [names = '', standard = '', meaning = ''] = row
    .split(/(?<!\\)\|/)
    .slice(1)
    .map((cell) => plain(cell.trim()))
  const variables = names.split(', ').filter((variable) => !fixed.has(variable))
  if (variables.length === 0) return ''
  return `# ${meaning}\n# Without it: ${standard}\n${variables.map((variable) => `#${variable}=\n`).join('')}`
}

/** Text without the marks of Markdown. */
const plain = (text: string): string => text.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll(/[`\\]/g, '')
