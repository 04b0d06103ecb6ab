/** A version of semantic versioning, with an optional pre-release. */
const semanticVersion = /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/

/** Heading, in each version's part of the changelog, of what operators have to do. */
const duties = '### What you have to do'

/**
 * Returns what keeps a version from being released: it is no semantic version, or the changelog does not say what operators have
 * to do. Until a version has a part of its own, that of `Unreleased` counts.
 */
export function releaseObstacles(version: string, changelog: string): string[] {
  if (!semanticVersion.test(version)) return [`package.json: ${version} is no semantic version such as 1.4.0`]
  const parts = new Map(changelog.split(/^## /m).map((part) => [part.split(/[\s[\]]+/).find(Boolean) ?? '', part]))
  const part = parts.get(version) ?? parts.get('Unreleased')
  if (part === undefined) return [`CHANGELOG.md has no part for ${version}`]
  return part.includes(`\n${duties}\n`) ? [] : [`CHANGELOG.md: the part for ${version} has no "${duties}"`]
}
