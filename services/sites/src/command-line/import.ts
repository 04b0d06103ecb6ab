import { systemTimers } from '@hearth/runtime'
import { createImportTarget } from '../import/import-target.ts'
import { Imports } from '../import/imports.ts'
import { readNode } from '../import/read-node.ts'
import { runImportCommand, type ImportCommand } from '../import/import-command.ts'
import { hashPassword } from '../sites/site-change.ts'
import { withStorage } from './data.ts'
import { readBounded } from './read-bounded.ts'
import { openStoredSites, type OpenedStorage } from './stored-sites.ts'

/** Runs `import` of a file; the exit code says how it ended. */
export async function runImport(command: ImportCommand): Promise<void> {
  process.exitCode = await runImportCommand(command, {
    readFile: readBounded,
    print: (line) => process.stdout.write(`${line}\n`),
    withImports: (work) => withStorage(async (storage) => work(await openImports(storage))),
  })
}

async function openImports(storage: OpenedStorage): Promise<Imports> {
  const { settings, nodes, uploads, adapt, settleMany, editMany, db } = await openStoredSites(storage)
  return new Imports({
    target: createImportTarget({ db, settleMany, editMany, uploads }),
    adapt,
    readNode: (id) => readNode(nodes, id),
    hashPassword,
    isRawAllowed: () => settings.current().allow_raw,
    timers: systemTimers,
    folder: storage.config.dataDirectory,
  })
}
