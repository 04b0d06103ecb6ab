import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { rolldown, type Plugin } from 'rolldown'
import { builtFolder, hashService, isBuilt } from '../cli/build-state.ts'
import { chooseServices, findServices, root, type ServiceFolder } from '../cli/services.ts'
import { stampName } from '../cli/web-pages.ts'
import { buildPages, replaceFolder } from './build-ui.ts'
import { licenceNotices } from './release/licence-notices.ts'
import { isLocked, lockedClosure } from './release/locked-packages.ts'

/** Packages that stay in `node_modules`: one is a native addon, the others read files beside their own. */
const external = [
  /^better-sqlite3-multiple-ciphers$/,
  /^graphile-worker/,
  /^highs$/,
  /^pg-native$/,
  /^pino-pretty$/,
  /^swagger-ui-dist/,
]

/**
 * Builds each service whose sources changed since it was built: plain JavaScript in a few files of `dist/<service>`, with the
 * files it reads beside them. Returns whether all are there.
 */
export async function buildServices(services: readonly ServiceFolder[]): Promise<boolean> {
  const results: boolean[] = []
  for (const service of services) results.push(isBuilt(service) || (await buildService(service)))
  return results.every(Boolean)
}

async function buildService(service: ServiceFolder): Promise<boolean> {
  const sources = hashService(service)
  process.stderr.write(`hearth: building ${service.name}\n`)
  // Built aside and moved in: a running service, or a second build, never meets half of it.
  const fresh = join(root, `node_modules/.cache/build/${service.name}-${process.pid}`)
  try {
    rmSync(fresh, { recursive: true, force: true })
    mkdirSync(fresh, { recursive: true })
    await bundle(service, fresh)
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true })
    process.stderr.write(`${String(error)}\nhearth: ${service.name} could not be built\n`)
    return false
  }
  writeFileSync(join(fresh, stampName), sources)
  replaceFolder(builtFolder(service), fresh)
  return true
}

async function bundle(service: ServiceFolder, folder: string): Promise<void> {
  const source = join(service.folder, 'src')
  const commands = join(source, 'commands.ts')
  if (!existsSync(commands)) return
  const files = new Map(findFiles(source).map((path) => [path, nameOf(path)]))
  const scripts = [...files.keys()].filter((path) => path.endsWith('.ts'))
  const build = await rolldown({
    cwd: root,
    platform: 'node',
    input: Object.fromEntries([commands, ...scripts].map((path) => [basename(path, '.ts'), path])),
    external,
    plugins: [moveAddresses(files), importHttpAlone, quietDepd, escapeBeyondAscii],
    onwarn(warning) {
      throw new Error(warning.message)
    },
  })
  await build.write({
    dir: folder,
    format: 'esm',
    sourcemap: true,
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
  })
  await build.close()
  for (const [path, name] of files)
    if (!path.endsWith('.ts') && existsSync(path)) cpSync(path, join(folder, name), { recursive: true })
  const locked = relative(root, service.folder)
  if (isLocked(locked)) writeFileSync(join(folder, noticesName), licenceNotices(lockedClosure([locked])))
}

/** File of a build with the licences of all that it is made of. */
export const noticesName = 'LICENSES.txt'

/** A file that a module names by its place: `new URL('worker.ts', import.meta.url)`. */
const address = /new URL\(\s*'([^']+)',\s*import\.meta\.url\s*\)/g

/** Files that modules of a service name by their place: scripts of threads and processes, and what they read. */
function findFiles(source: string): string[] {
  const modules = globSync('**/*.ts', { cwd: source }).filter((name) => !name.endsWith('.test.ts'))
  return modules.flatMap((name) => {
    const path = join(source, name)
    return Array.from(readFileSync(path, 'utf8').matchAll(address), ([, place = '']) => resolve(dirname(path), place))
  })
}

/** Name of such a file in the build, where all lie in one folder. */
const nameOf = (path: string): string => (basename(path) === 'dist' ? 'pages' : basename(path).replace(/\.ts$/, '.mjs'))

/** Lets modules find in the folder of the build what they name by its place among the sources. */
function moveAddresses(files: ReadonlyMap<string, string>): Plugin {
  return {
    name: 'addresses',
    transform(code, id) {
      if (!code.includes('import.meta.url')) return undefined
      const moved = code.replaceAll(address, (whole, place: string) => {
        const name = files.get(resolve(dirname(id), place))
        return name === undefined ? whole : `new URL('./${name}', import.meta.url)`
      })
      // Lines stay where they are, which is what a source map is read for here.
      return { code: moved, map: null }
    },
  }
}

/** Members of `node:http` that load the whole of `fetch` when somebody looks at them, as each import of the module does. */
const fetchMembers = new Set(['WebSocket', 'CloseEvent', 'MessageEvent'])

/** Requires `node:http` where a module imports it: an import looks at every member, which takes 20 ms and 2 MiB of each start. */
const importHttpAlone: Plugin = {
  name: 'import-http-alone',
  resolveId(source, _, { kind }) {
    return kind === 'import-statement' && /^(?:node:)?http$/.test(source) ? httpAlone : undefined
  },
  load(id) {
    if (id !== httpAlone) return undefined
    const members = Object.keys(http).filter((name) => !fetchMembers.has(name))
    return `import { createRequire } from 'node:module'
const http = createRequire(import.meta.url)('node:http')
export default http
export const { ${members.join(', ')} } = http`
  },
}
const httpAlone = '\0http-alone'

/** Takes the part of `depd` for browsers, which warns of nothing: the other makes its functions by `eval`. */
const quietDepd: Plugin = {
  name: 'quiet-depd',
  async resolveId(source, importer) {
    if (source !== 'depd') return undefined
    const found = await this.resolve(source, importer, { skipSelf: true })
    return found && join(dirname(found.id), 'lib/browser/index.js')
  },
}

/** Characters beyond ASCII, with the backslashes before them. */
const beyondAscii = /(\\*)([\u0080-\uFFFF])/g

/** Writes characters beyond ASCII as escapes: a single one makes V8 keep the text of its whole file with two bytes a character. */
const escapeBeyondAscii: Plugin = {
  name: 'escape-beyond-ascii',
  // After all that prints code: it would write the characters again. Lines stay where they are here too.
  generateBundle(_, bundle) {
    for (const file of Object.values(bundle))
      if (file.type === 'chunk') file.code = file.code.replaceAll(beyondAscii, escapeCharacter)
  },
}

function escapeCharacter(_: string, backslashes: string, character: string): string {
  // An odd one was the escape of the character itself, which needs none.
  const kept = backslashes.length % 2 === 1 ? backslashes.slice(1) : backslashes
  return `${kept}\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

if (import.meta.main) {
  const services = chooseServices(findServices(), process.argv.slice(2))
  const hasPages = buildPages(services)
  process.exitCode = (await buildServices(services)) && hasPages ? 0 : 1
}
