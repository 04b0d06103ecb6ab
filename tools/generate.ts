import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { spawnSync } from 'node:child_process'
import { findServices, root, type ServiceFolder } from '../cli/services.ts'
import { writeApiTypes } from './api-types.ts'

/**
 * Writes `openapi.json` of each service from its routes, and the types of it that its pages use. With `--check` nothing is
 * written; documents that differ from what is committed are named and the exit code is 1.
 */
function generate(isCheck: boolean): boolean {
  let isCurrent = true
  for (const service of findServices().filter((service) => existsSync(moduleOf(service))))
    isCurrent = settle(join(service.folder, 'openapi.json'), documentOf(service), isCheck) && isCurrent
  if (!isCheck) writeApiTypes()
  return isCurrent
}

const moduleOf = ({ folder }: ServiceFolder): string => join(folder, 'src/openapi.ts')

/** The document of a service, made in a process of its own: schemas are named in one place for all that a process loads. */
function documentOf(service: ServiceFolder): string {
  const program = `
    const { openapiDocument } = await import(${JSON.stringify(moduleOf(service))})
    process.stdout.write(JSON.stringify(await openapiDocument()))`
  const options = { encoding: 'utf8', timeout: 120_000, maxBuffer: 1e8 } as const
  const result = spawnSync(process.execPath, ['--input-type=module', '--eval', program], options)
  if (result.status !== 0) throw new Error(`the routes of ${service.name} cannot be described: ${result.stderr}`)
  return formatted(result.stdout, join(service.folder, 'openapi.json'))
}

/** Formats JSON as `npm run format` formats everything else. */
function formatted(json: string, file: string): string {
  const program = join(root, 'node_modules/.bin/oxfmt')
  const options = { cwd: root, input: json, encoding: 'utf8', timeout: 60_000, maxBuffer: 1e8 } as const
  const result = spawnSync(program, [`--stdin-filepath=${relative(root, file)}`], options)
  if (result.status !== 0) throw new Error(`${file} cannot be formatted: ${result.stderr}`)
  return result.stdout
}

function settle(file: string, content: string, isCheck: boolean): boolean {
  if (existsSync(file) && readFileSync(file, 'utf8') === content) return true
  if (isCheck) {
    process.stderr.write(`${relative(root, file)} is not what the routes say; run: npm run generate\n`)
    return false
  }
  writeFileSync(file, content)
  process.stderr.write(`wrote ${relative(root, file)}\n`)
  return true
}

process.exit(generate(process.argv.includes('--check')) ? 0 : 1)
