import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServiceFolder } from '../../../cli/services.ts'
import type { Architecture } from '../node-program.ts'
import { writePackages, type Release } from '../packages.ts'
import { sizeLimits, sizeProblems, sizesOf } from '../size-limits.ts'

/** The versions that a trial installs, by the folders of their packages: the sources as they are under the first two. */
export interface TrialVersions {
  readonly current: string
  readonly newer: string
  /** A newer one whose services do not start. Some of them change their database first. */
  readonly broken: string
}

/** Writes the packages of the versions into folders `current`, `newer` and `broken`, for this machine, with quick compression. */
export async function writeVersions(
  { version, services, isComplete }: { version: string; services: readonly ServiceFolder[]; isComplete: boolean },
  folder: string,
): Promise<TrialVersions> {
  const architecture: Architecture = process.arch === 'arm64' ? 'arm64' : 'amd64'
  const versions = { current: version, newer: `${version}+1`, broken: `${version}+2` }
  const write = (name: keyof TrialVersions, more: Partial<Release> = {}) =>
    writePackages(
      { version: versions[name], architectures: [architecture], services, isComplete, ...more },
      { release: join(folder, name), time: 1_700_000_000, compression: 'gzip' },
    )
  const problems = sizeProblems(sizesOf(await write('current')), { installed: sizeLimits.installed })
  if (problems.length > 0) throw new Error(problems.join('\n'))
  await write('newer')
  await write('broken', { alter: breakService })
  return versions
}

/** Services whose broken version leaves a database that the version before cannot read. */
export const changesDatabase: ReadonlySet<string> = new Set(['vpn', 'sites'])

function breakService(folder: string, { name }: ServiceFolder): void {
  const change = `const database = new DatabaseSync(\`\${process.env.DATA_DIR}/${name}.db\`)
    database.exec("insert into kysely_migration values ('9999-half-done', '2026-01-01T00:00:00.000Z')")
    database.close()`
  writeFileSync(
    join(folder, 'usr/lib/hearth/dist', name, 'commands.mjs'),
    `import { DatabaseSync } from 'node:sqlite'
export function addCommands(program) {
  program.command('serve').action(() => {
    ${changesDatabase.has(name) ? change : ''}
    throw new Error('this version does not start')
  })
}
`,
  )
}
