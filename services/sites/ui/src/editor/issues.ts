import { type Draft, isSame, valueAt } from './draft.ts'

/** Something that is wrong with a member, named by its path. */
export interface Issue {
  readonly field: string
  readonly message: string
}

/** State of a form; issues of a new site are hidden at fields that were not edited yet. */
export interface Progress {
  readonly base: Draft
  readonly draft: Draft
  /** True when all issues are shown: the site exists, or was sent. */
  readonly isJudged: boolean
}

/** The issues a person should see by now. */
export function shownIssues(issues: readonly Issue[], { base, draft, isJudged }: Progress): Issue[] {
  if (isJudged) return [...issues]
  return issues.filter(({ field }) => {
    const [member = ''] = field.split('.')
    return !isSame(valueAt(base, member), valueAt(draft, member))
  })
}

/** Returns the issue at a path; with `isWhole` also one below it. */
export function issueAt(issues: readonly Issue[], path: string, isWhole = false): string | undefined {
  const found = issues.find(({ field }) => field === path || (isWhole && field.startsWith(`${path}.`)))
  return found === undefined ? undefined : capital(found.message)
}

/** Counts the issues at or below any of these members. */
export function countIssues(issues: readonly Issue[], members: readonly string[]): number {
  return issues.filter(({ field }) => members.includes(field.split('.')[0] ?? '')).length
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
