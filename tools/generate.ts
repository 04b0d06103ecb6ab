import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { findServices, root, type ServiceFolder } from '../cli/services.ts'

/**
 * Writes what is made from the routes: `openapi.json` of each service, and the types of it that its pages use. With
 * `--check` nothing is written; files that differ from what is committed are named and the exit code is 1.
 */
async function generate(isCheck: boolean): Promise<boolean> {
  let isCurrent = true
  for (const service of findServices().filter(hasDocument)) {
    const document = `${JSON.stringify(await documentOf(service), null, 2)}\n`
    const files = new Map([[join(service.folder, 'openapi.json'), document]])
    if (existsSync(join(service.folder, 'ui/src')))
      files.set(join(service.folder, 'ui/src/api.gen.ts'), typesOf(document))
    for (const [file, content] of files) isCurrent = settle(file, content, isCheck) && isCurrent
  }
  return isCurrent
}

function hasDocument(service: ServiceFolder): boolean {
  return existsSync(join(service.folder, 'src/openapi.ts'))
}

async function documentOf(service: ServiceFolder): Promise<object> {
  const module = (await import(join(service.folder, 'src/openapi.ts'))) as { openapiDocument: () => Promise<object> }
  return module.openapiDocument()
}

/** The generator lives in a workspace of its own, because it needs a TypeScript that the rest does not have. */
function typesOf(document: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-openapi-'))
  try {
    const source = join(folder, 'openapi.json')
    writeFileSync(source, document)
    const require = createRequire(join(root, 'tools/api-types/package.json'))
    const program = join(dirname(require.resolve('openapi-typescript/package.json')), 'bin/cli.js')
    const output = join(folder, 'api.ts')
    const result = spawnSync(process.execPath, [program, source, '-o', output], { encoding: 'utf8' })
    if (result.status !== 0) throw new Error(`openapi-typescript failed: ${result.stderr}`)
    return readFileSync(output, 'utf8')
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function settle(file: string, content: string, isCheck: boolean): boolean {
  if (existsSync(file) && readFileSync(file, 'utf8') === content) return true
  if (isCheck) {
    process.stderr.write(`${relative(root, file)} is not what the routes say; run: npm run generate\n`)
    return false
  }
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
  process.stderr.write(`wrote ${relative(root, file)}\n`)
  return true
}

process.exit((await generate(process.argv.includes('--check'))) ? 0 : 1)
