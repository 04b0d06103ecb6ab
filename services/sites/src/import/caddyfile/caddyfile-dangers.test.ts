import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { systemTimers } from '@hearth/runtime'
import { AdaptFailed } from '../../sites/raw/adapt.ts'
import { caddyfileDangers } from './caddyfile-dangers.ts'
import { readCaddyfile } from './read-caddyfile.ts'

const lines = (text: string) => caddyfileDangers(text).map(({ line }) => line)

describe('a Caddyfile that would read server files', () => {
  const texts: Record<string, string> = {
    'an import': 'a.test {\n\timport /etc/passwd\n}',
    'an import outside of sites': 'import sites/*\n',
    'an import on the line of a brace': 'a.test {\n import x }',
    'an import in quotes': 'a.test {\n\t"import" /etc/passwd\n}',
    'an import in backticks': 'a.test {\n\t`import` /etc/passwd\n}',
    'an import behind an escaped backslash': 'respond "\\\\"\nimport /etc/passwd\nrespond "x"',
    'an import in what only looks like a text of lines': 'a.test {\n\trespond <<END\n\timport /etc/passwd\n\tEND\n}',
    'an import behind what only looks like a comment': 'respond "a\n# " \nimport /etc/passwd',
    'an import of a snippet that is a word of a text': 'respond "\n(x) {\n"\nimport x\n',
    'an import of a snippet with a path for a name': '(../x) {\n}\nimport ../x',
    'an import on a line that goes on': 'a.test {\n\timport \\\n/etc/passwd\n}',
    'a value of the environment': 'a.test {\n\trespond {$SECRET}\n}',
    'a value of the environment in a comment': '# {$SECRET}\na.test',
    'a placeholder of the environment': 'a.test {\n\trespond "{ env.SECRET}"\n}',
    'a placeholder of a file': 'a.test {\n\trespond {file./etc/passwd}\n}',
    'a directive that reads a file': 'a.test {\n\ttls {\n\t\tclient_auth {\n\t\t\ttrusted_ca_cert_file /etc/x\n',
    'a word with a character nobody sees': 'a.test {\n\tim\u0085port x\n}',
  }
  for (const [name, text] of Object.entries(texts))
    test(name, async () => {
      assert.notDeepEqual(lines(text), [])
      const given: string[] = []
      const adapt = (sent: string) => {
        given.push(sent)
        return Promise.resolve({ config: {}, warnings: [] })
      }
      const { sites, report } = await readCaddyfile(text, { adapt, timers: systemTimers })
      assert.deepEqual([given, sites], [[], []])
      assert.ok(report.every(({ path, outcome }) => /^line \d+$/.test(path) && outcome === 'left_out'))
    })

  test('carriage returns do not hide an import', async () => {
    const never = () => assert.fail('the text was given to Caddy')
    const { report } = await readCaddyfile('a.test {\r\n\tim\rport /etc/passwd\r\n}', {
      adapt: never,
      timers: systemTimers,
    })
    assert.deepEqual(
      report.map(({ path }) => path),
      ['line 2'],
    )
  })
})

describe('a Caddyfile that reads no files', () => {
  test('snippets, options and words that merely contain the dangerous ones are accepted', () => {
    const text = `{
	email a@example.org
}
(common) {
	header X {http.request.host}
}
# import of nothing
a.test, import.test {
	import common
	reverse_proxy /import/* 127.0.0.1:1
	respond "{environment} imported"
}`
    assert.deepEqual(lines(text), [])
  })

  test('Caddy’s errors and warnings are reported with their lines', async () => {
    const failing = () => Promise.reject(new AdaptFailed('Caddyfile:3: unrecognized directive: nonsense'))
    const refused = await readCaddyfile('a.test', { adapt: failing, timers: systemTimers })
    assert.deepEqual(
      refused.report.map(({ path, what }) => [path, what]),
      [['line 3', 'Caddyfile:3: unrecognized directive: nonsense']],
    )
    const warnings = ['Caddyfile:1: input is not formatted', { line: 2, message: 'this is old' }]
    const warned = await readCaddyfile('a.test', {
      adapt: () => Promise.resolve({ config: {}, warnings }),
      timers: systemTimers,
    })
    assert.deepEqual(
      warned.report.map(({ path, what }) => [path, what]),
      [['line 2', 'Caddy says: this is old']],
    )
  })

  test('a Caddyfile that takes Caddy too long is abandoned, and an oversized one is not started', async () => {
    const forever = () => new Promise<never>(() => undefined)
    const late = await readCaddyfile('a.test', { adapt: forever, timers: systemTimers, limitMs: 1 })
    assert.match(late.report[0]?.what ?? '', /did not read the text within/)
    const long = await readCaddyfile('a'.repeat(524_289), { adapt: forever, timers: systemTimers })
    assert.match(long.report[0]?.what ?? '', /longer than 512 KiB/)
  })
})
