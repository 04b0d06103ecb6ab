import { createHash } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { spawnSync } from 'node:child_process'
import { findServices, root } from '../cli/services.ts'

/** Writes `ui/src/api.gen.ts` of each service, the types of its `openapi.json`, where it is missing or older. */
export function writeApiTypes(): void {
  for (const { folder } of findServices()) {
    const document = join(folder, 'openapi.json')
    const sources = join(folder, 'ui/src')
    if (!existsSync(document) || !existsSync(sources)) continue
    const file = join(sources, 'api.gen.ts')
    const stamp = `// Made of openapi.json, SHA-256 ${createHash('sha256').update(readFileSync(document)).digest('hex')}\n`
    if (existsSync(file) && readFileSync(file, 'utf8').startsWith(stamp)) continue
    writeTypes(document, file, stamp)
  }
}

/** The generator lives in a workspace of its own, because it needs a TypeScript that the rest does not have. */
function writeTypes(document: string, file: string, stamp: string): void {
  const require = createRequire(join(root, 'tools/api-types/package.json'))
  const program = join(dirname(require.resolve('openapi-typescript/package.json')), 'bin/cli.js')
  // Written aside and moved in: two set-ups may run at the same time.
  const fresh = `${file.slice(0, -'.gen.ts'.length)}-${process.pid}.gen.ts`
  try {
    const result = spawnSync(process.execPath, [program, document, '-o', fresh], { encoding: 'utf8', timeout: 120_000 })
    if (result.status !== 0) throw new Error(`openapi-typescript failed for ${document}: ${result.stderr}`)
    writeFileSync(fresh, `${stamp}${readFileSync(fresh, 'utf8')}`)
    renameSync(fresh, file)
  } finally {
    rmSync(fresh, { force: true })
  }
}

if (import.meta.main) writeApiTypes()
