import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemTimers } from '@hearth/runtime'
import { writtenSites } from './caddyfile-blocks.ts'
import { readCaddyfile } from './read-caddyfile.ts'

const text = `{
	email a@example.org
}
(inner) {
	encode gzip
}
(outer) {
	import inner
	header X 1
}
(asking) {
	respond {args[0]}
}
https://A.example.org:443, b.example.org {
	import outer
	respond <<END
		a { text }
		END
}
c.example.org {
	import asking hello
}
http://d.example.org {
	respond 1
}
https://d.example.org {
	respond 2
}
`

test('sites are found with their lines, and their directives with snippets expanded', () => {
  const sites = writtenSites(text)
  assert.deepEqual([...sites.keys()], ['a.example.org', 'b.example.org', 'c.example.org', 'd.example.org'])
  const one = sites.get('a.example.org')
  assert.equal(one, sites.get('b.example.org'))
  assert.equal(one?.line, 14)
  assert.deepEqual(
    one?.directives
      ?.split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
    ['encode gzip', 'header X 1', 'respond <<END', 'a { text }', 'END'],
  )
})

test('no directives are returned for snippet arguments or several blocks of one host', () => {
  const sites = writtenSites(text)
  assert.deepEqual(
    [sites.get('c.example.org')?.directives, sites.get('d.example.org')?.directives],
    [undefined, undefined],
  )
})

test('a site that cannot be imported becomes raw on request and is reported with its line', async () => {
  const servers = {
    srv0: {
      listen: [':443'],
      routes: [{ match: [{ host: ['a.example.org', 'b.example.org'] }], handle: [{ handler: 'templates' }] }],
    },
  }
  const adapt = () => Promise.resolve({ config: { apps: { http: { servers } } }, warnings: [] })
  const without = await readCaddyfile(text, { adapt, timers: systemTimers })
  assert.deepEqual(
    [without.sites.length, without.report.map(({ outcome, path }) => [outcome, path])],
    [0, [['left_out', 'line 14']]],
  )
  const { sites, report } = await readCaddyfile(text, { adapt, timers: systemTimers, isRawWanted: true })
  assert.deepEqual(
    report.map(({ outcome, path }) => [outcome, path]),
    [['raw', 'line 14']],
  )
  assert.equal(sites[0]?.site.kind, 'raw')
  assert.match(sites[0].site.raw_directives ?? '', /^encode gzip/)
})
