import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { Command } from 'commander'
import type { ServiceCommands } from '../cli/command-line.ts'
import { findServices, root } from '../cli/services.ts'

const services = findServices()
const documents = globSync(['README.md', 'docs/**/*.md', 'services/*/README.md'], { cwd: root }).sort()
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8')

/** Lines of shell commands in a document, without comments and with continued lines joined. */
function commandLines(text: string): string[] {
  const blocks = Array.from(text.matchAll(/^```sh\n(.*?)^```$/gms), ([, block = '']) =>
    block.replaceAll(/\\\n\s*/g, ' '),
  )
  return blocks.flatMap((block) => block.split('\n')).map((line) => line.replace(/(?:^|\s)#\s.*$/, ''))
}

/** Returns what is wrong with the words after `hearth`; undefined when there is such a command with such options. */
async function problemOf(words: readonly string[]): Promise<string | undefined> {
  const [first = '', ...rest] = words
  if (['up', 'doctor', '--version', '--help'].includes(first)) return undefined
  const service = services.find(({ name }) => name === first)
  if (service === undefined) return `there is no service ${first}`
  const program = new Command(first)
  const module = (await import(join(service.folder, 'src/commands.ts'))) as ServiceCommands
  await module.addCommands(program, rest)
  let command = program
  for (const word of rest.filter((each) => !each.startsWith('-'))) {
    const next: Command | undefined = command.commands.find(
      (each) => each.name() === word || each.aliases().includes(word),
    )
    if (next === undefined) break
    command = next
  }
  if (command === program && rest[0] !== undefined && rest[0] !== '--help') return `${first} has no command ${rest[0]}`
  if (command.commands.length > 0 && command.registeredArguments.length === 0 && !rest.includes('--help'))
    return `${first} ${command.name()} needs one of: ${command.commands.map((each) => each.name()).join(', ')}`
  const known = new Set(command.options.flatMap(({ long, short }) => [long, short]))
  const unknown = rest.find(
    (word) => /^--?[a-z]/.test(word) && word !== '--help' && !known.has(word.split('=')[0] ?? ''),
  )
  return unknown === undefined ? undefined : `${first} ${command.name()} has no option ${unknown}`
}

test('every command of a document exists, with its options', async () => {
  const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> }
  const problems: string[] = []
  let found = 0
  for (const file of documents)
    for (const line of commandLines(textOf(file))) {
      const script = /\bnpm run ([\w:-]+)/.exec(line)?.[1]
      if (script !== undefined && !(script in scripts)) problems.push(`${file}: npm run ${script}`)
      const call = /(?:^|\s|\()hearth ((?!-\w+_)[^|;&><)]+)/.exec(line)?.[1]
      if (call === undefined) continue
      found += 1
      const problem = await problemOf(call.trim().split(/\s+/))
      if (problem !== undefined) problems.push(`${file}: ${line.trim()}: ${problem}`)
    }
  assert.deepEqual(problems, [])
  assert.ok(found > 40, `only ${found} commands were found`)
})

test('every link between documents leads to a file that is there', () => {
  const problems = documents.flatMap((file) =>
    Array.from(textOf(file).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g), ([, target = '']) => target)
      .filter((target) => globSync(join(root, dirname(file), target)).length === 0)
      .map((target) => `${file}: ${target}`),
  )
  assert.deepEqual(problems, [])
})

test('the document of notifications lists the events of all services', async () => {
  const rows = Array.from(
    textOf('docs/notifications.md').matchAll(/^\| (\w+) \| `([\w.-]+)`: .* \| (\w+) \|$/gm),
    ([, service = '', id = '', severity = '']) => [service, id, severity].join(' '),
  )
  const events = await Promise.all(
    services.map(async ({ name, folder }) => {
      const { eventClasses } = (await import(join(folder, 'src/notifications/event-classes.ts'))) as {
        eventClasses: readonly { id: string; severity: string }[]
      }
      return eventClasses.map(({ id, severity }) => ({ name, id, severity }))
    }),
  )
  const ofAll = new Set(['backup.failed', 'release.available'])
  const wanted = events.flat().map(({ name, id, severity }) => `${ofAll.has(id) ? 'all' : name} ${id} ${severity}`)
  assert.deepEqual(rows.toSorted(), [...new Set(wanted)].toSorted())
})
