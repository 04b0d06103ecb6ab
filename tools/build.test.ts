import assert from 'node:assert/strict'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { builtFolder, isBuilt } from '../cli/build-state.ts'
import { makeRepository } from '../cli/fixture.ts'
import { findServices, type ServiceFolder } from '../cli/services.ts'
import { buildServices } from './build.ts'

const commands = `
import { readFileSync } from 'node:fs'
import { countTo } from './numbers/count.ts'
export function addCommands(program) {
  program.command('count').action(async () => {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
    console.log(version, await countTo(3), import.meta.url.endsWith('.ts') ? 'from the sources' : 'from the build')
  })
}`
const count = `
import { Worker } from 'node:worker_threads'
import { once } from 'node:events'
export async function countTo(last: number): Promise<string> {
  const worker = new Worker(new URL('count-thread.ts', import.meta.url), { workerData: last })
  const [text] = await once(worker, 'message')
  return text as string
}`
const thread = `
import { parentPort, workerData } from 'node:worker_threads'
import { numbers } from './numbers.ts'
parentPort?.postMessage(numbers.slice(0, workerData as number).join(' '))`

test('the command line runs a service’s build unless its sources are newer', async (t) => {
  const repository = makeRepository(t, ['alpha'])
  const [service] = findServices(repository.folder) as [ServiceFolder]
  const put = (name: string, text: string) => writeFileSync(join(service.folder, name), text)
  writeFileSync(join(repository.folder, 'package-lock.json'), '{}')
  mkdirSync(join(service.folder, 'src/numbers'))
  put('package.json', '{"type":"module","version":"1.2.3"}')
  put('src/commands.ts', commands)
  put('src/numbers/count.ts', count)
  put('src/numbers/count-thread.ts', thread)
  put('src/numbers/numbers.ts', `export const numbers = ['one', 'two', 'three', 'four']`)
  const print = async () => (await repository.start(['alpha', 'count']).ended).stdout

  assert.equal(await print(), '1.2.3 one two three from the sources\n')
  assert.equal(await buildServices([service]), true)
  assert.equal(await print(), '1.2.3 one two three from the build\n')
  put('src/numbers/numbers.ts', `export const numbers = ['1', '2', '3', '4']`)
  assert.equal(await print(), '1.2.3 1 2 3 from the sources\n')
  assert.equal(await buildServices([service]), true)
  assert.equal(await print(), '1.2.3 1 2 3 from the build\n')

  put('src/numbers/numbers.ts', String.raw`export const numbers = ['zwölf', '\’\\’', '😀'.replace(/[😀]/u, '1 – 2')]`)
  assert.equal(await buildServices([service]), true)
  assert.equal(await print(), '1.2.3 zwölf ’\\’ 1 – 2 from the build\n')

  put('src/numbers/numbers.ts', 'export const =')
  assert.equal(await buildServices([service]), false, 'what cannot be built leaves the last build in place')
  assert.ok(existsSync(join(builtFolder(service), 'commands.mjs')))
})

test('a build has plain JavaScript, source maps, compressed web pages and the licences of its parts', () => {
  for (const service of findServices()) {
    assert.ok(isBuilt(service), `${service.name} is not built; npm test builds it`)
    const files = globSync('**/*', { cwd: builtFolder(service) })
    assert.deepEqual(
      files.filter((name) => name.endsWith('.ts')),
      [],
    )
    assert.deepEqual(
      ['commands.mjs', 'commands.mjs.map', 'pages/index.html', 'LICENSES.txt'].filter((name) => !files.includes(name)),
      [],
    )
    assert.match(read(service, 'LICENSES.txt'), /^fastify \d+\.\d+\.\d+ \(MIT\)$/m)
    assert.ok(files.some((name) => name.startsWith('pages/assets/') && name.endsWith('.js.br')))
    // Either costs each service megabytes: two bytes for every character, and the whole of fetch at the start.
    const texts = files.filter((name) => name.endsWith('.mjs')).map((name) => [name, read(service, name)] as const)
    assert.deepEqual(
      texts.filter(([, text]) => /[\u0080-\uFFFF]|from ["'](?:node:)?http["']/.test(text)).map(([name]) => name),
      [],
    )
  }
})

const read = (service: ServiceFolder, name: string) => readFileSync(join(builtFolder(service), name), 'utf8')
