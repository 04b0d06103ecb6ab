import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from '../../cli/services.ts'
import { releaseObstacles } from './release-notes.ts'

const changelog = `# Changelog

## Unreleased

### Added
- something

## 1.2.0 (2026-11-28)

### What you have to do
Nothing.

## 1.1.0

### Added
- more
`

test('a release has a semantic version and says what operators have to do', () => {
  const cases: readonly (readonly [version: string, obstacle: RegExp | undefined])[] = [
    ['1.2.0', undefined],
    ['1.2', /^package\.json: 1\.2 is no semantic version/],
    ['v1.2.0', /no semantic version/],
    ['01.2.0', /no semantic version/],
    ['1.1.0', /^CHANGELOG\.md: the part for 1\.1\.0 has no "### What you have to do"$/],
    ['1.3.0-rc.1', /the part for 1\.3\.0-rc\.1 has no/],
  ]
  for (const [version, obstacle] of cases) {
    const found = releaseObstacles(version, changelog)
    if (obstacle === undefined) assert.deepEqual(found, [], version)
    else assert.match(found.join('\n'), obstacle, version)
  }
  assert.deepEqual(releaseObstacles('1.0.0', '# Changelog\n'), ['CHANGELOG.md has no part for 1.0.0'])
})

test('this version can be released', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  assert.deepEqual(releaseObstacles(version, readFileSync(join(root, 'CHANGELOG.md'), 'utf8')), [])
})
